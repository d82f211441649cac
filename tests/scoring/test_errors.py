"""Problems: what they say, where, and how many."""

import json
import pickle
from dataclasses import replace

import pytest

from scoring.errors import (
    MOST_PROBLEMS,
    Findings,
    Problem,
    Refused,
    ScoringError,
    SetupError,
    UsageError,
)
from scoring.messages import Messages, Wording
from tests.loops import loop_over


def test_a_message_ends_before_its_hint_begins() -> None:
    assert str(Problem("x", "no such team", hint="Join first.")) == (
        "no such team. Join first."
    )
    assert str(Problem("x", "Is it there?", hint="Look.")) == "Is it there? Look."
    assert str(Problem("x", "no such team")) == "no such team"


def test_a_problem_reads_as_file_line_message_hint() -> None:
    problem = Problem("head", "HEAD is 'x'.", "a.conllu", 7, hint="Write a number.")
    assert str(problem) == "a.conllu:7: HEAD is 'x'. Write a number."


def test_a_problem_without_a_place_is_its_message() -> None:
    assert str(Problem("option", "unknown option 'x'")) == "unknown option 'x'"
    assert str(Problem("empty", "the file is empty", "a.txt")).startswith("a.txt: the")


def test_an_error_carries_its_problems_and_says_them() -> None:
    problems = [Problem("a", "first"), Problem("b", "second")]
    error = Refused(problems)
    assert error.problems == tuple(problems)
    assert str(error) == "first; second"
    assert Refused(problems[0]).problems == (problems[0],)


@pytest.mark.parametrize("kind", [Refused, SetupError, UsageError])
def test_everything_raised_on_purpose_is_a_scoring_error(kind: type) -> None:
    assert issubclass(kind, ScoringError)


def test_a_problem_as_plain_values_has_every_key() -> None:
    assert Problem("a", "b").as_dict() == {
        "code": "a",
        "message": "b",
        "file": "",
        "line": None,
        "column": None,
        "unit": "",
        "hint": "",
        "excerpt": "",
        "caret": None,
        "count": 1,
        "values": {},
    }


COUNTED = Messages(
    {"count": "expected %(count)s, found %(what)s", "half": "50 % of it"}
)


def test_a_message_puts_its_values_into_the_template_of_its_table() -> None:
    wording = COUNTED("count", count=3, what=COUNTED("half"))
    assert wording == "expected 3, found 50 % of it"
    problem = Problem("count", wording, "a.txt", 7, hint=COUNTED("half"))
    assert problem.as_dict()["values"] == {"count": 3, "what": "50 % of it"}


def test_a_stored_problem_comes_back_with_its_templates() -> None:
    wording = COUNTED("count", count=3, what=COUNTED("half"))
    problem = Problem("count", wording, "a.txt", 7, hint=COUNTED("half"))
    again = Problem.of_row(json.loads(json.dumps(problem.as_row())))
    assert again == problem
    assert isinstance(again.message, Wording)
    assert again.message.template == "expected %(count)s, found %(what)s"
    assert again.as_row() == problem.as_row()


def test_copies_of_an_error_keep_templates_and_values() -> None:
    problem = Problem("count", COUNTED("count", count=3, what="x"), "a.txt")
    (copy,) = pickle.loads(pickle.dumps([problem]))
    assert copy.as_row() == problem.as_row()
    assert replace(problem, line=2).values == {"count": 3, "what": "x"}


def test_a_stored_problem_without_templates_is_its_english() -> None:
    row = {"code": "a", "message": "HEAD is 'x'.", "file": "a.txt", "line": 3}
    assert Problem.of_row(row) == Problem("a", "HEAD is 'x'.", "a.txt", 3)


@loop_over(
    "wording",
    [
        ["%(a)1000000000s", {"a": 1}],
        ["%(a)s %(b)s", {"a": 1}],
        ["%d", {"a": 1}],
        ["%(a)s", {"a": "x" * 5000}],
        ["%(a)s", {"a": ["%(a)s" * 100, {"a": "x" * 100}]}],
        ["%(a)s", {"a": None}],
        ["%(a)s", 3],
        "text",
    ],
)
def test_a_row_that_no_table_made_is_its_english(wording: object) -> None:
    row = {"code": "a", "message": "plain", "wordings": {"message": wording}}
    assert Problem.of_row(row) == Problem("a", "plain")


def test_findings_raise_everything_at_once() -> None:
    findings = Findings("a.txt")
    findings.add("one", "first", line=1)
    findings.add("two", "second", line=2, unit="s2", hint="Mend it.")
    with pytest.raises(Refused) as caught:
        findings.raise_if_any()
    assert [(p.file, p.line, p.unit) for p in caught.value.problems] == [
        ("a.txt", 1, ""),
        ("a.txt", 2, "s2"),
    ]


def test_findings_without_a_problem_raise_nothing() -> None:
    Findings("a.txt").raise_if_any()


def test_findings_raise_the_kind_they_are_told() -> None:
    findings = Findings("gold.txt")
    findings.add("class", "unknown class")
    with pytest.raises(SetupError):
        findings.raise_if_any(SetupError)


def test_findings_are_capped_and_say_how_many_more_there_are() -> None:
    findings = Findings("a.txt")
    for line in range(1, MOST_PROBLEMS + 6):
        findings.add("columns", "too few", line=line)
    with pytest.raises(Refused) as caught:
        findings.raise_if_any()
    problems = caught.value.problems
    assert len(problems) == MOST_PROBLEMS + 1
    assert problems[-1].code == "more_problems"
    assert "5 more" in problems[-1].message
