"""Whatever a file repeats, reading it takes as long as the file is."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath

import pytest

from scoring.engine import check
from scoring.errors import ScoringError
from scoring.laws import Case, Example
from scoring.scorer import Scorer
from scoring.source import Source
from tests.scoring.examples import counting_scorers, examples_of
from tests.timing import grows_linearly

SIZE = 16_000  # bytes of what is repeated, and eight times as many
PIECES = (
    "x",
    " ",
    "\t",
    "\n",
    "\r",
    "\0",
    ",",
    ";",
    "|",
    "/",
    "\\",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "<",
    "</",
    "&",
    '""',
    "'",
    "=",
    ":",
    "@",
    "#",
    "_",
    "0",
    "1.",
    "%",
    "!!",
    "\u0301",
    "{/x",
    "[S:",
    "(x",
    "x)",
    "<x ",
    '"x":',
    "\n\n",
    "a/",
    "x|",
    "Entity=(e",
    "\tB-X\n",
    "# x\n",
    "A 0 0|||",
)
# What begins and never ends, with what follows it very often.
OPENINGS = ("{", "{/", "[", "[S:", "(", "<", "<x ", '"', "# ", "&", "Entity=(", "x.@")


def text_of(source: Source) -> str:
    """The text of a file, of several that of the first."""
    return next(iter(source.files.values())).decode()


def reading(
    scorer: Scorer, example: Example, opening: str, piece: str
) -> Callable[[int], Callable[[], object]]:
    """Work that checks, and scores, a file in which a piece stands very often."""
    system, options = example.systems[0], example.parse_options(scorer)
    text = text_of(system)
    cut = len(text) // 2
    gold = scorer.read_gold(example.gold, options)
    blind = Case(scorer, example).blind

    def work(size: int) -> Callable[[], object]:
        middle = opening + piece * (size // len(piece))
        broken = (text[:cut] + middle + text[cut:]).encode()
        name = next(iter(system.files))
        source = replace(system, files={**system.files, name: broken})

        def read() -> None:
            try:
                answers = scorer.read_system(source, options, gold)
                scorer.count(gold, answers, options)
            except ScoringError:
                check(scorer, blind, source, options)

        return read

    return work


def lines_of(text: str) -> list[str]:
    """The shortest and the longest line, each to be repeated."""
    lines = sorted({line for line in text.split("\n") if line}, key=len)
    return [line + "\n" for line in (*lines[:1], *lines[-1:])]


def readers() -> dict[str, tuple[Scorer, Example]]:
    """An example of every scorer and ending of its files' names."""
    found = {}
    for name, scorer in sorted(counting_scorers().items()):
        for example in examples_of(name):
            endings = {PurePath(file).suffix for file in example.systems[0].files}
            found.setdefault(f"{name} {' '.join(sorted(endings))}", (scorer, example))
    return found


READERS = readers()


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_a_file_that_repeats_anything_is_read_in_linear_time(name: str) -> None:
    scorer, example = READERS[name]
    pieces = (*PIECES, *lines_of(text_of(example.systems[0])))
    repeated = [("", piece) for piece in pieces]
    repeated += [(opening, piece) for opening in OPENINGS for piece in ("x", " ", "x=")]
    slow = [
        one
        for one in repeated
        if not grows_linearly(reading(scorer, example, *one), SIZE)
    ]
    assert not slow
