"""The columnar reader against the `conllu` package, on files that Hypothesis makes."""

from typing import Any

import conllu as package
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import ScoringError
from scoring.scorers.treebanks import conllu, trees
from scoring.scorers.treebanks.conllu import DEPREL, FORM, HEAD, LEMMA, UPOS, XPOS
from scoring.source import Source

# What the package itself reads otherwise: white space cuts fields, "_" is None.
LETTERS = st.characters(codec="utf-8", exclude_categories=["Z", "C"])
PLAIN = st.text(LETTERS, min_size=1, max_size=12).filter(lambda t: not t.isspace())
NAMES = {"form": FORM, "lemma": LEMMA, "upos": UPOS, "xpos": XPOS, "deprel": DEPREL}


@st.composite
def sentences(draw: st.DrawFn) -> str:
    size = draw(st.integers(1, 6))
    lines = [f"# sent_id = {draw(PLAIN)}"] if draw(st.booleans()) else []
    for place in range(1, size + 1):
        if place < size and draw(st.integers(0, 5)) == 0:
            lines.append(line(draw, f"{place}-{place + 1}", None))
        lines.append(line(draw, str(place), draw(st.integers(0, size))))
        if draw(st.integers(0, 8)) == 0:
            lines.append(line(draw, f"{place}.1", None))
    return "\n".join(lines) + "\n\n"


def line(draw: st.DrawFn, identity: str, head: int | None) -> str:
    texts = [draw(PLAIN | st.just("_")) for _ in range(4)]
    fields = [identity, *texts, "_", "_" if head is None else head, draw(PLAIN)]
    return "\t".join(map(str, [*fields, "_", "_"]))


@pytest.mark.thorough
@given(st.lists(sentences(), min_size=1, max_size=4).map("".join))
def test_both_readers_see_the_same_fields(text: str) -> None:
    expected = [token for sentence in package.parse(text) for token in sentence]
    table = conllu.read("x", text.encode())
    assert len(table.lines) == len(expected)
    for name, column in NAMES.items():
        assert table.texts(column) == [written(token[name]) for token in expected]
        assert table.coded(column).texts() == table.texts(column)
    heads = [-1 if token["head"] is None else token["head"] for token in expected]
    assert table.numbers(HEAD).tolist() == heads


def written(value: Any) -> str:
    return "_" if value is None else value


@given(st.lists(sentences(), min_size=1, max_size=4).map("".join))
def test_both_readers_see_the_same_words_and_sentences(text: str) -> None:
    parsed = package.parse(text)
    found = trees.read(Source.of_bytes("x", text.encode()), ScoringError)
    words = [[t for t in s if isinstance(t["id"], int)] for s in parsed]
    assert found.sizes.tolist() == [len(sentence) for sentence in words]
    assert found.places.tolist() == [t["id"] for sentence in words for t in sentence]
    ids = [sentence.metadata.get("sent_id", "") for sentence in parsed]
    assert list(found.table.labels("sent_id")) == ids
