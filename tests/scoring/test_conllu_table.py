"""Reading CoNLL-U: what is accepted, what is refused and where."""

import pytest

from scoring.errors import Refused, ScoringError, SetupError
from scoring.scorers.treebanks import conllu, lines
from scoring.scorers.treebanks.conllu import (
    EMPTY,
    FORM,
    MISC,
    RANGE,
    UNKNOWN,
    WORD,
    ConlluTable,
    documents,
    genres,
    lengths,
)
from scoring.scorers.treebanks.conllu import groupings as groups
from scoring.scorers.treebanks.trees import Trees
from scoring.scorers.treebanks.trees import read as read_trees
from scoring.source import Source
from tests.loops import loop_over

LINE = "{0}\t{1}\t_\t_\t_\t_\t0\troot\t_\t_"
BLANKS = "_\t" * 7


def read(text: str | bytes, **more: bool) -> ConlluTable:
    data = text.encode() if isinstance(text, str) else text
    return conllu.read("x.conllu", data, Refused, **more)


def words(*forms: str) -> str:
    rows = (LINE.format(i, form) for i, form in enumerate(forms, 1))
    return "\n".join(rows) + "\n\n"


def problems(text: str | bytes, **more: bool) -> list[tuple[str, int | None]]:
    with pytest.raises(Refused) as refusal:
        read(text, **more)
    return [(problem.code, problem.line) for problem in refusal.value.problems]


SAIL = words("set", "sail") + words("home")


@loop_over(
    "text",
    [
        SAIL,
        "\ufeff" + SAIL,
        SAIL.replace("\n", "\r\n"),
        "\ufeff" + SAIL.replace("\n", "\r\n"),
        SAIL.rstrip("\n"),
        SAIL.rstrip("\n") + "\n",
        SAIL.replace("\n\n", "\n\n\n\n"),
        "\n\n" + SAIL,
        SAIL.replace("2\tsail", "# late\n2\tsail"),
        "# early\n" + SAIL + "# last",
    ],
)
def test_line_ends_blank_lines_and_comments_change_nothing(text: str) -> None:
    table = read(text)
    assert table.texts(FORM) == ["set", "sail", "home"]
    assert table.texts(MISC) == ["_", "_", "_"]
    assert table.sentence_of.tolist() == [0, 0, 1]
    assert table.sentences == 2


@loop_over("odd", ["\u2028", "\x0b", "\x0c", "\x85", "\x1c", "a\rb"])
def test_only_lf_and_crlf_end_a_line(odd: str) -> None:
    table = read(words(f"a{odd}b", "c"))
    assert table.texts(FORM) == [f"a{odd}b", "c"]
    assert table.lines.tolist() == [1, 2]


def test_lines_are_numbered_as_in_the_file() -> None:
    table = read("# one\n\n" + SAIL)
    assert table.lines.tolist() == [3, 4, 6]


def test_wrong_columns_are_all_named_with_their_lines() -> None:
    broken = SAIL.replace("\troot", "", 1).replace("home\t", "home\t_\t")
    assert problems(broken) == [("columns", 1), ("columns", 4)]


def test_spaces_for_tabs_are_named_as_the_cause() -> None:
    with pytest.raises(Refused, match="Separate columns with tabs"):
        read(SAIL.replace("\t", " "))


def test_further_columns_are_accepted_where_asked_for() -> None:
    wide = SAIL.replace("\n\n", "\tmore\n\n")
    assert problems(wide) == [("columns", 2), ("columns", 4)]
    table = read(wide, extra_columns=True)
    assert table.texts(MISC) == ["_", "_", "_"]
    assert problems("1\ta\n", extra_columns=True) == [("columns", 1)]


def test_many_problems_are_capped_and_counted() -> None:
    with pytest.raises(Refused) as refusal:
        read("bad\n" * 90)
    assert len(refusal.value.problems) == 21
    assert "70 more" in refusal.value.problems[-1].message


@pytest.mark.parametrize("text", ["", "\n \t\n", "\ufeff", "# sent_id = 1\n\n"])
def test_a_file_without_words_is_refused(text: str) -> None:
    assert problems(text)[0][0] in ("empty_file", "no_sentences")


def test_bytes_that_are_no_text_are_refused_at_their_line() -> None:
    assert problems(SAIL.encode().replace(b"home", b"h\xffme")) == [("encoding", 4)]
    assert problems(SAIL.replace("home", "ho\0me")) == [("encoding", 4)]


def test_very_many_lines_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MOST_LINES", 10)
    assert read("\n" * 5 + SAIL).sentences == 2
    assert problems("\n" * 6 + SAIL) == [("size", None)]


def test_the_gold_side_raises_its_own_error() -> None:
    with pytest.raises(SetupError):
        conllu.read("gold", b"1\ta\n", SetupError)


def test_kinds_of_lines_are_told_by_their_ids() -> None:
    ids = ("1-2", "1", "2", "2.1", "x", "3-", "03", "-4")
    table = read("\n".join(LINE.format(i, "a") for i in ids))
    kinds = [RANGE, WORD, WORD, EMPTY, UNKNOWN, UNKNOWN, WORD, UNKNOWN]
    assert table.kinds.tolist() == kinds
    assert table.words.tolist() == [1, 2, 6]


def sentences(*comments: str) -> ConlluTable:
    """One word per sentence, each below its comment lines."""
    return read("".join(f"{c}\n{words('a')}" if c else words("a") for c in comments))


def test_sentences_are_named_by_their_id_or_number() -> None:
    assert sentences("# sent_id = b", "#sent_id=a").sentence_names == ("b", "a")
    assert sentences("# sent_id = b", "").sentence_names == ("b", "0000002")
    assert sentences("#   sent_id   =   b c").sentence_names == ("b c",)


def test_sentences_are_numbered_where_ids_repeat() -> None:
    table = sentences("# sent_id = a", "# sent_id = a")
    assert table.sentence_names == ("0000001", "0000002")


def test_a_comment_counts_only_under_its_whole_name() -> None:
    table = sentences("# sent_id_old = 1", "# sent = 2", "# text = sent_id = 3")
    assert table.sentence_names == ("0000001", "0000002", "0000003")
    assert table.labels("sent_id_old") == ("1", "", "")


def test_a_sentence_begins_with_its_comments() -> None:
    table = sentences("", "# a\n# b")
    assert [table.first_line(i) for i in range(2)] == [1, 3]


def test_documents_run_from_one_comment_to_the_next() -> None:
    table = sentences("# newdoc id = x", "", "# newdoc id = y", "")
    assert documents(table) == ("x", "x", "y", "y")


def test_documents_without_an_id_of_their_own_are_numbered() -> None:
    table = sentences("", "# newdoc", "# newdoc id = y", "# newdoc id = y")
    assert documents(table) == tuple(f"document {i}" for i in range(1, 5))
    assert documents(sentences("# newdocument id = 1", "")) == ()


def test_a_genre_holds_until_the_document_ends() -> None:
    table = sentences(
        "# newdoc id = x\n# meta::genre = log", "", "# newdoc id = y", "# genre = song"
    )
    assert genres(table) == ("log", "log", "", "song")


def test_lengths_fall_into_bands_of_ten() -> None:
    sizes = read_words(1, 10, 11, 40, 41, 400).sizes
    assert lengths(sizes) == ("1-10", "1-10", "11-20", "31-40", "41+", "41+")


def test_groupings_that_a_file_does_not_tell_are_left_out() -> None:
    found = read_words(1, 2)
    assert groups(found.table, found.sizes) == {"length": ("1-10", "1-10")}


def read_words(*sizes: int) -> Trees:
    text = "".join(words(*"a" * size) for size in sizes)
    return read_trees(Source.of_bytes("x", text.encode()), ScoringError)
