"""Lines of SENSEVAL files as fields, against `str.split` line by line."""

import sys

from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import Findings
from scoring.scorers.senseval.reader import ODD_SPACES, blocks

SPACES = (" ", "  ", "\n", "\t", "\r", "\x0b", "\x1c", "\x1f", "\x85", "\u3000")
PIECES = st.sampled_from((*SPACES, "a", "\u044f1", "\u200b", "\x00", "!!", "!"))


@given(st.lists(PIECES).map("".join))
def test_fields_are_those_of_python(text: str) -> None:
    found = [
        (line, fields)
        for block in blocks(text, Findings("a"))
        for line, fields in zip(block.lines.tolist(), block.fields, strict=True)
    ]
    lines = (line.partition("!!")[0].split() for line in text.split("\n"))
    assert found == [(i, fields) for i, fields in enumerate(lines, 1) if fields]


def test_the_white_space_beyond_ascii_is_all_there() -> None:
    found = {c for c in map(chr, range(128, sys.maxunicode + 1)) if c.isspace()}
    assert found == set(ODD_SPACES)
