"""Pieces of a text: every array operation against plain Python on the same pieces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats import field_prefixes, fields
from scoring.formats.codes import Coded, merge_codes, shared_codes
from scoring.formats.field_prefixes import equal
from scoring.formats.fields import NOT_A_NUMBER, Fields

TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters="\n\t"), max_size=40
) | st.sampled_from(["", "_", "nsubj", "nsubj:pass", "a" * 8, "a" * 9, "a" * 1000])
LISTS = st.lists(TEXTS, max_size=60)


def laid_out(texts: list[str]) -> Fields:
    """Texts in one buffer, with something before and a byte behind each."""
    pieces = [text.encode() for text in texts]
    buffer = np.frombuffer(b"#" + b"\t".join(pieces) + b"\n", dtype=np.uint8)
    sizes = np.array([len(piece) for piece in pieces], dtype=np.int64)
    ends = 1 + np.cumsum(sizes + 1) - 1
    return Fields(buffer, ends - sizes, ends)


@given(LISTS)
def test_texts_come_back(texts: list[str]) -> None:
    assert laid_out(texts).texts() == texts
    assert laid_out(texts).pieces() == [text.encode() for text in texts]


@given(LISTS)
def test_codes_tell_texts_apart(texts: list[str]) -> None:
    coded = laid_out(texts).coded()
    assert coded.texts() == texts
    assert len(set(coded.values)) == len(coded.values)


@given(LISTS)
def test_texts_with_one_key_are_told_apart_all_the_same(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(field_prefixes, "MIXERS", np.zeros(12, dtype=np.uint64))
        prefixes = field_prefixes.prefixes_of(laid_out(texts))
        coded, odd = field_prefixes.code_fields(prefixes)
        # No field of a file holds a NUL.
        nul = [i for i, text in enumerate(texts) if "\0" in text]
        whole = sorted({*range(len(texts))} - {*odd.tolist(), *nul})
        found = [coded.values[coded.codes[i]] for i in whole]
        assert found == [texts[i] for i in whole]


@given(LISTS)
def test_many_texts_are_coded_in_blocks(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fields, "BLOCK", 3)
        coded = laid_out(texts).coded()
        assert coded.texts() == laid_out(texts).texts() == texts
        assert len(set(coded.values)) == len(coded.values)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=80), st.sampled_from((3, 1 << 15)))
def test_equal_says_which_pairs_are_the_same(
    pairs: list[tuple[str, str]], block: int
) -> None:
    left, right = ([*side] for side in zip(*pairs, strict=True)) if pairs else ([], [])
    left, right = left + right, right + right
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fields, "BLOCK", block)
        found = equal(laid_out(left), laid_out(right)).tolist()
    assert found == [a == b for a, b in zip(left, right, strict=True)]


NUMBERS = st.integers(0, 10**12).map(str) | st.sampled_from(
    ["", "_", "-1", "+3", " 4 ", "05", "1_0", "1.5", "0x1", "²", "५", "9" * 5000, "1-2"]
)


@given(st.lists(NUMBERS))
def test_whole_numbers_are_those_that_python_reads(texts: list[str]) -> None:
    assert laid_out(texts).whole().tolist() == [as_python(text) for text in texts]


def as_python(text: str) -> int:
    try:
        return max(NOT_A_NUMBER, min(int(text), 10**9))
    except ValueError:
        return NOT_A_NUMBER


@given(st.lists(NUMBERS))
def test_plain_numbers_are_up_to_nine_ascii_digits(texts: list[str]) -> None:
    expected = [
        int(t) if t.isascii() and t.isdigit() and len(t) <= 9 else NOT_A_NUMBER
        for t in texts
    ]
    assert laid_out(texts).numbers().tolist() == expected


@given(LISTS, LISTS)
def test_shared_codes_are_the_same_for_the_same_key(
    first: list[str], second: list[str]
) -> None:
    sides = laid_out(first).coded(), laid_out(second).coded()
    left, right = shared_codes(*sides, str.casefold)
    keys = [text.casefold() for text in first + second]
    codes = [*left.tolist(), *right.tolist()]
    assert len(set(codes)) == len(set(keys)) == len(set(zip(codes, keys, strict=True)))


def test_a_function_of_codes_is_called_once_per_distinct_text() -> None:
    met: list[str] = []

    def size(text: str) -> float:
        met.append(text)
        return len(text)

    coded = laid_out(["case", "obj", "case", "case"]).coded()
    assert coded.mapped(size).tolist() == [4, 3, 4, 4]
    assert sorted(met) == ["case", "obj"]


def test_no_parts_are_no_texts() -> None:
    assert merge_codes([]).texts() == []
    assert Coded(np.zeros(0, dtype=np.int64), []).flags(str.isalpha).tolist() == []


def test_a_very_long_piece_is_read() -> None:
    texts = ["x" * (fields.LONG + 1), "y"]
    assert laid_out(texts).texts() == texts
