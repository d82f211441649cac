"""Beginnings of fields: what they say, against Python's own strings."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import Refused
from scoring.formats import field_prefixes
from scoring.formats.field_prefixes import Digits, Prefixes
from scoring.formats.fields import Fields
from scoring.scorers.treebanks import conllu, lines, trees
from scoring.scorers.treebanks.conllu import DEPREL, FORM, HEAD, ID, MISC, ConlluTable
from scoring.scorers.treebanks.lines import Prefetch
from scoring.source import Source

SIZES = st.sampled_from((0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 40))
# A tab's neighbours and a byte whose lower half is a tab's: what a trick may confuse.
TEXTS = SIZES.flatmap(lambda size: st.text("ab\x08\x0b\x89я", max_size=size))
NUMERALS = st.from_regex(
    r"[0-9]{0,4}|-?[0-9]{1,2}|_|[1-9]-[1-9]|[1-9]\.1", fullmatch=True
)


def column(texts: list[str]) -> Fields:
    """The texts in a buffer that ends with the last of them and its newline."""
    pieces = [text.encode() for text in texts]
    ends = np.cumsum([len(piece) + 1 for piece in pieces], dtype=np.int64) - 1
    begins = ends - np.array([len(piece) for piece in pieces], dtype=np.int64)
    buffer = np.frombuffer(b"\t".join(pieces) + b"\n", dtype=np.uint8)
    return Fields(buffer, begins, ends)


def prefixes_of(texts: list[str], words: int = 2) -> Prefixes:
    return field_prefixes.fill(
        column(texts), np.empty((len(texts), words), dtype=np.uint64)
    )


def digits_of(texts: list[str]) -> Digits:
    starts = b"".join((text.encode() + b"\tnext")[:3] for text in texts)
    data = np.frombuffer(starts, dtype=np.uint8).reshape(-1, 3)
    return data[:, 0].copy(), data[:, 1].copy(), data[:, 2].copy()


@given(st.lists(NUMERALS, max_size=40))
def test_numerals_of_two_digits_are_read_and_all_others_named(texts: list[str]) -> None:
    values, odd = field_prefixes.numbers(digits_of(texts))
    short = [len(text) in (1, 2) and text.isdecimal() for text in texts]
    assert odd.tolist() == [i for i, fine in enumerate(short) if not fine]
    for text, value, fine in zip(texts, values.tolist(), short, strict=True):
        assert not fine or value == int(text)


@given(st.lists(TEXTS, max_size=40), st.integers(1, 12))
def test_beginnings_are_the_first_bytes_and_zeros(texts: list[str], words: int) -> None:
    found = prefixes_of(texts, words).tobytes()
    pieces = [text.encode()[: 8 * words] for text in texts]
    assert found == b"".join(piece.ljust(8 * words, b"\0") for piece in pieces)


@pytest.mark.parametrize("widths", [(1, 1), (2, 2), (3, 3), (1, 3), (3, 2), (8, 4)])
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS, st.booleans()), max_size=40))
def test_fields_are_the_same_or_begin_alike(
    widths: tuple[int, int], pairs: list[tuple[str, str, bool]]
) -> None:
    left = [a for a, _, _ in pairs]
    right = [a if agree else b for a, b, agree in pairs]
    alike, rest = field_prefixes.same(
        prefixes_of(left, widths[0]), prefixes_of(right, widths[1])
    )
    size = 8 * min(widths)
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        assert alike[i] == (a.encode()[:size] == b.encode()[:size])
        assert (i in rest) == (alike[i] and len(a.encode()) >= size)


@given(st.lists(st.tuples(NUMERALS, NUMERALS, st.booleans()), max_size=40))
def test_numerals_are_the_same_or_begin_alike(
    pairs: list[tuple[str, str, bool]],
) -> None:
    left = [a for a, _, _ in pairs]
    right = [a if agree else b for a, b, agree in pairs]
    sides = digits_of(left), digits_of(right)
    alike, rest = field_prefixes.same_digits(*sides, slice(None))
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        assert alike[i] == (a == b or (len(a) > 2 and a[:3] == b[:3]))
        assert (i in rest) == (alike[i] and len(a) > 2)


@pytest.mark.parametrize("words", [1, 2, 3])
@given(texts=st.lists(TEXTS, min_size=1, max_size=60))
def test_short_fields_are_coded_and_every_code_is_met(
    words: int, texts: list[str]
) -> None:
    found, odd = field_prefixes.code_fields(prefixes_of(texts, words))
    fits = [i for i, text in enumerate(texts) if len(text.encode()) < 8 * words]
    assert sorted({*range(len(texts))} - {*odd.tolist()}) == fits
    assert [found.values[found.codes[i]] for i in fits] == [texts[i] for i in fits]
    assert sorted(found.values) == sorted({texts[i] for i in fits})


@given(st.lists(TEXTS, max_size=60))
def test_rows_are_as_wide_as_nearly_all_fields_are_long(texts: list[str]) -> None:
    sizes = np.array([len(text.encode()) for text in texts], dtype=np.int64)
    words = field_prefixes.words_for(sizes)
    assert words == 1 or sizes.max(initial=0) >= 8 * (words - 1)
    assert words == field_prefixes.MOST_WORDS or (sizes < 8 * words).all()


def test_texts_that_happen_to_have_one_key_keep_codes_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(field_prefixes, "MIXERS", np.zeros(12, dtype=np.uint64))
    texts = ["one of two", "the other one", "one of two", ""]
    found, _ = field_prefixes.code_fields(prefixes_of(texts))
    assert found.texts() == texts
    assert sorted(found.values) == sorted(set(texts))


def test_thousands_of_short_fields_get_a_code_each() -> None:
    texts = [f"{i * 7 % 10_007:x}" * (1 + i % 3) for i in range(30_000)]
    found, odd = field_prefixes.code_fields(prefixes_of(texts))
    assert not len(odd)
    assert found.texts() == texts
    assert len(found.values) == len(set(texts))


# --- fetched from files ----------------------------------------------------------

KEPT = Prefetch(numbers=(ID, HEAD), texts=(FORM, DEPREL, MISC), stops=False)
FORMS = ("a", "seven77", "eight888", "seventeen bytes 7", "", "x" * 90)


def file_of(rows: list[tuple[str, str, str]], head: str = "") -> bytes:
    """Sentences of three words, each below a comment with ten columns."""
    found = []
    for i, (form, number, relation) in enumerate(rows):
        found += ["#" + "\t_" * 9] * (i % 3 == 0)
        found.append(f"{i % 3 + 1}\t{form}\t\t\t\t\t{number}\t{relation}\t\t{form}")
        found += [""] * (i % 3 == 2)
    return (head + "\n".join(found) + "\n").encode()


ROW = st.tuples(st.sampled_from(FORMS), NUMERALS, st.sampled_from(FORMS[:4]))


def looked_at(table: ConlluTable) -> list[object]:
    forms, relations = table.coded(FORM).texts(), table.coded(DEPREL).texts()
    every = np.arange(len(table))
    return [
        table.ids.tolist(),
        table.whole(HEAD).tolist(),
        table.texts(FORM),
        forms,
        relations,
        table.texts(FORM, every[:1]),
        table.first.tolist(),
        table.comments,
        table.coded(DEPREL, every[::2]).texts(),
        table.lines.tolist(),
        table.plain,
        table.joined(FORM, every),
        table.joined(DEPREL, every[::-1]),
        table.coded(MISC).texts(),
        table.texts(MISC),
    ]


@pytest.mark.parametrize("block", [1, 40, 1 << 18])
@given(rows=st.lists(ROW, min_size=1, max_size=30))
def test_what_was_kept_says_what_the_text_says(
    block: int, rows: list[tuple[str, str, str]]
) -> None:
    data = file_of(rows)
    expected = looked_at(conllu.read("x", data))
    assert expected[2] == [form for form, _, _ in rows]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lines, "BLOCK", block)
        patched.setattr(conllu, "MANY", 2)
        assert looked_at(conllu.read("x", data, prefetch=KEPT)) == expected


def test_room_is_made_for_lines_shorter_than_usual() -> None:
    data = b"\n" * 500 + b"1\t\t\t\t\t\t0\t\t\t\n" * 300 + b"\n" * 40
    table = conllu.read("x", data, prefetch=KEPT)
    assert table.lines.tolist() == list(range(501, 801))
    assert table.whole(HEAD).tolist() == [0] * 300


Change = Callable[[str], str]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("seventeen bytes 7", "seventeen bytes 8", 1),
        lambda text: text.replace("eight888", "eight88", 1),
        lambda text: text.replace("\tseven77", "\tseven78", 1),
    ],
)
def test_a_changed_form_is_found_however_long_it_is(change: Change) -> None:
    rows = [(FORMS[i % 4], str(i % 3), "dep") for i in range(300)]
    text = file_of(rows).decode()
    gold, same, other = (
        trees.read(Source.of_bytes("x", data.encode()), Refused)
        for data in (text, text, change(text))
    )
    trees.pair(same, gold)
    with pytest.raises(Refused) as refusal:
        trees.pair(other, gold)
    before = text[: next(i for i, c in enumerate(text) if change(text)[i] != c)]
    assert refusal.value.problems[0].line == before.count("\n") + 1
