"""Findings quote the file of whoever sent it, and nothing else."""

import pytest

from scoring import Problem, Source, check
from scoring.excerpts import WIDTH, excerpt, with_excerpts
from scoring.options import parse
from scoring.scorers import get

EXAMPLE = """\
# sent_id = 1
1\tgreen\t_\t_\t_\t_\t2\tamod\t_\t_
2\tboats\t_\t_\t_\t_\t3\tnsubj\t_\t_
3\tdrift\t_\t_\t_\t_\t0\troot\t_\t_
"""
BLIND = EXAMPLE.replace("2\tamod", "_\t_").replace("3\tnsubj", "_\t_")
BLIND = BLIND.replace("0\troot", "_\t_")


def found(text: str | bytes, **fields: object) -> Problem:
    data = text.encode() if isinstance(text, str) else text
    given = {"file": "a.txt", "line": 1, "message": "odd", "code": "x", **fields}
    problem = Problem(**given)  # type: ignore[arg-type]
    return with_excerpts([problem], Source.of_bytes("a.txt", data))[0]


def checked(text: str) -> list[Problem]:
    scorer = get("attachment")
    files = [Source.of_bytes(n, t.encode()) for n, t in (("b", BLIND), ("s", text))]
    return list(check(scorer, *files, parse(scorer.options, {})))


def test_a_bad_head_is_quoted_with_its_column_and_a_way_to_mend_it() -> None:
    (problem,) = checked(EXAMPLE.replace("3\tnsubj", "9\tnsubj"))
    assert (problem.line, problem.column) == (3, 17)
    assert problem.excerpt == r"2\tboats\t_\t_\t_\t_\t9\tnsubj\t_\t_"
    assert problem.caret is not None
    assert problem.excerpt[problem.caret :].startswith(r"9\tnsubj")
    assert "0 for a root" in problem.hint


def test_the_named_column_is_meant_when_a_text_stands_twice() -> None:
    line = "9\tboat\t_\t_\t_\t_\t9\tnsubj\t_\t_"
    assert found(line, message="HEAD is '9'; expected a number").column == 16
    assert found(line, message="'9' is odd").column is None


def test_missing_and_extra_columns_are_shown_where_they_are() -> None:
    (short,) = checked(EXAMPLE.replace("2\tamod\t_\t_", "2\tamod"))
    assert short.column == len("1\tgreen\t_\t_\t_\t_\t2\tamod") + 1
    assert short.caret == len(short.excerpt)
    (long,) = checked(EXAMPLE.replace("2\tamod\t_\t_", "2\tamod\t_\t_\tmore"))
    assert long.caret is not None and long.excerpt[long.caret :] == "more"


@pytest.mark.parametrize("number", [1, 2, 3, 40_000, 70_001])
def test_every_line_is_found_however_far_down(number: int) -> None:
    text = "".join(f"line {i}\r\n" for i in range(1, 70_002))
    assert found("\ufeff" + text, line=number).excerpt == f"line {number}"


def test_a_line_behind_the_end_is_not_quoted() -> None:
    assert found("one\ntwo", line=9).excerpt == ""
    assert found("one\n" * 70_000, line=70_002).excerpt == ""


def test_a_byte_that_is_no_text_is_shown_as_an_escape_where_it_stands() -> None:
    problem = found(b"\xc3\xa4\xc3\xb6 \xff end", code="encoding", column=6)
    assert problem.excerpt == "äö \\xff end"
    assert problem.caret == 3
    assert problem.column == 6


def test_what_cannot_be_seen_is_escaped() -> None:
    shown = "a<U+202E>b<U+0000>c<U+200B>d\\te"
    assert found("a\u202eb\0c\u200bd\te").excerpt == shown


def test_a_long_line_is_cut_around_the_place() -> None:
    text, caret = excerpt("x" * 500 + "!" + "y" * 500, 501)
    assert caret is not None and text[caret] == "!"
    assert text.startswith("…") and text.endswith("…")
    assert len(text) == WIDTH + 2


def test_nothing_is_quoted_of_another_file() -> None:
    assert found("secret", file="other.txt").excerpt == ""


def test_a_member_of_several_is_quoted() -> None:
    source = Source("all", {"a.txt": b"one", "b.txt": b"two"})
    problem = Problem("x", "odd", "b.txt", 1)
    assert with_excerpts([problem], source)[0].excerpt == "two"
