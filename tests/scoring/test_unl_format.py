"""UNL documents: what is read, what is refused and on which line."""

from collections.abc import Callable

import pytest

from scoring.errors import MOST_PROBLEMS, Refused
from scoring.scorers.unl import reader
from scoring.source import Source
from tests.loops import loop_over
from tests.timing import grows_linearly

PLAIN = "[S:1]\n{unl}\n12\n{/unl}\n[/S]\n"


def read(text: str | bytes, expected: frozenset[str] | None = None) -> reader.Sentences:
    data = text.encode() if isinstance(text, str) else text
    return reader.read(Source.of_bytes("a.unl", data), Refused, expected)


def problems(
    text: str | bytes, expected: frozenset[str] | None = None
) -> list[tuple[int | None, str]]:
    with pytest.raises(Refused) as caught:
        read(text, expected)
    return [(problem.line, problem.message) for problem in caught.value.problems]


def test_a_sentence_may_stand_on_one_line_or_on_many() -> None:
    flat = "[S:1] {org:en} calm {/org} {unl} 12 {/unl} {en} calm {/en} [/S]"
    tall = flat.replace(" ", "\n")
    for text in (flat, tall):
        sentence = read(text)["1"]
        assert [block.name for block in sentence.blocks] == ["org:en", "unl", "en"]
        assert [block.text.strip() for block in sentence.blocks] == [
            *("calm", "12", "calm")
        ]


def test_lines_of_sentences_and_blocks_are_known() -> None:
    sentence = read("[D:log]\n[P:1]\n\n[S:a 1]\n\n{unl}\n12\n{/unl}\n[/S]\n")["a 1"]
    assert (sentence.line, sentence.blocks[0].line) == (4, 6)
    assert sentence.document == "log"


def test_frames_of_documents_and_paragraphs_are_optional() -> None:
    text = "[D:a][P:1][S:1][/S][/P][/D][S:2][/S][D:b][S:3][/S][/D]"
    assert [s.document for s in read(text).values()] == ["a", "", "b"]


def test_a_language_may_name_an_encoding() -> None:
    sentence = read("[S:1]{org:en=utf-8}a{/org}{EN}b{/EN}[/S]")["1"]
    assert [block.name for block in sentence.blocks] == ["org:en", "en"]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: "\n\n" + text + "\n\n",
    ],
)
def test_every_text_form_is_accepted(change: object) -> None:
    assert callable(change)
    assert list(read(change(PLAIN))) == ["1"]


def test_other_line_ends_do_not_shift_line_numbers() -> None:
    found = problems("[S:1]{en}a\u2028b\x85c\x0bd\re{/en}[/S]\nstray")
    assert [line for line, _ in found] == [2]


@loop_over(
    ("text", "line", "words"),
    [
        ("x\n" + PLAIN, 1, "'x' where [S:id] was expected"),
        (PLAIN + "\n\nx", 8, "'x' where [S:id] was expected"),
        (PLAIN.replace("\n[/S]", "\nx\n[/S]"), 5, "'x' where a {unl} or text block"),
        ("[S:1]\n{en}\nx\n[/S]\n", 2, "{en} is not closed"),
        ("[S:1]\n{en}\nx\n{/fr}\n[/S]\n", 2, "{en} is not closed"),
        ("[S:1]\n{en}\n[S:2]\n[/S]\n", 2, "{en} is not closed"),
        ("[S:1]\n[S:2]\n[/S]\n", 1, "[S:1] is not closed"),
        ("[S:1]\n{en}\n", 1, "[S:1] is not closed"),
        (PLAIN + "[/S]\n", 6, "[/S] without [S:id]"),
        (PLAIN + "{en}x{/en}\n", 6, "{en} without [S:id]"),
        ("[S:1]\n{/en}\n[/S]", 2, "{/en} without {en}"),
        ("[S]\n[/S]", 1, "expected [S:id]"),
        ("[S: ]\n[/S]", 1, "expected [S:id]"),
        ("[S:a\x00]\n[/S]", 1, "expected [S:id]"),
        (PLAIN.replace("[/S]", "{unl}\n{/unl}\n[/S]"), 5, "a second {unl}"),
        (PLAIN + PLAIN, 6, "sentence '1' again, after line 1"),
        ("[D:log]\n[/D]\n", None, "no sentence found"),
    ],
)
def test_a_broken_frame_is_refused_with_its_line(
    text: str, line: int | None, words: str
) -> None:
    found = problems(text)
    assert found[0][0] == line
    assert words in found[0][1]


@pytest.mark.parametrize("data", [b"", b" \n", b"\xff", b"PK\x03\x04"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    problems(data)


def test_ids_that_are_not_expected_are_refused() -> None:
    assert problems(PLAIN + PLAIN.replace("S:1", "S:x"), frozenset("1")) == [
        (6, "sentence 'x' is not in this test set.")
    ]


def test_all_problems_come_at_once_but_not_all_of_a_thousand() -> None:
    found = problems(PLAIN * 1000)
    assert len(found) == MOST_PROBLEMS + 1
    assert "979 more" in found[-1][1]


def test_the_texts_of_a_language_are_its_own_before_the_originals() -> None:
    text = "[S:1]{org:en}a{/org}{en}b{/en}{en}c{/en}{org:fr}d{/org}[/S]"
    sentence = read(text)["1"]
    assert sentence.texts("en") == ("b", "c")
    assert sentence.texts("fr") == ("d",)
    assert sentence.texts("de") == ()


def test_what_is_written_is_read_again() -> None:
    text = "[D:a][S:1]{org:en}x{/org}{unl}12{/unl}[/S][/D][D:b][S:2]{en}y{/en}[/S][/D]"
    whole = read(text)
    again = read(reader.write(whole, lambda block: True))
    assert [(s.id, s.document) for s in again.values()] == [("1", "a"), ("2", "b")]
    assert [b.text.strip() for s in again.values() for b in s.blocks] == [
        *("x", "12", "y")
    ]


def test_a_mark_without_its_end_is_read_in_linear_time() -> None:
    def reading(size: int) -> Callable[[], object]:
        return lambda: problems("[S:1] {org:en} a {/" + "x" * size + "\n[/S]")

    assert grows_linearly(reading, 4_000)
