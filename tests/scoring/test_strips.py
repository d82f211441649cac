"""Columns compared and coded many bytes at a time, against Python's own strings."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats import strips
from scoring.formats.fields import Fields

SIZES = st.sampled_from((0, 1, 3, 8, 9, 16, 17, 31, 64, 65, 130))
TEXTS = SIZES.flatmap(lambda size: st.text("abя\U0001f30a", max_size=size))
COLUMNS = st.lists(TEXTS, min_size=1, max_size=60)


def column(texts: list[str]) -> Fields:
    pieces = [text.encode() for text in texts]
    ends = np.cumsum([len(piece) + 1 for piece in pieces]) - 1
    begins = ends - [len(piece) for piece in pieces]
    buffer = np.frombuffer(b"\t".join(pieces) + b"\n", dtype=np.uint8)
    return Fields(buffer, begins, ends)


@given(COLUMNS, st.data())
def test_columns_agree_where_their_texts_do(
    texts: list[str], data: st.DataObject
) -> None:
    others = [data.draw(st.sampled_from((text, *texts))) for text in texts]
    expected = [a == b for a, b in zip(texts, others, strict=True)]
    assert strips.equal(column(texts), column(others)).tolist() == expected


@given(COLUMNS)
def test_a_column_is_coded_and_read_back(texts: list[str]) -> None:
    found = strips.coded(column(texts))
    assert found.texts() == texts
    assert sorted(found.values) == sorted(set(texts))


def test_thousands_of_texts_get_a_code_each() -> None:
    texts = [f"{i * 7 % 30_011:x}" for i in range(70_000)]
    found = strips.coded(column(texts))
    assert found.texts() == texts
    assert len(found.values) == len(set(texts))
