"""An organizer who uploads a wrong answer key is told its cause first."""

import pytest

from scoring.engine import Job
from scoring.errors import SetupError
from scoring.gold_check import blind_of, units_of
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring.wrong_files import (
    Lines,
    Mistake,
    at,
    body,
    cell,
    corrections,
    each,
    mentions,
    opinions,
    parts,
    table,
    tags,
    trees,
    without,
    zipped,
)

LABELS = ["good", "bad"]
GOLD: dict[str, Lines] = {
    "attachment": trees(),
    "classes": table(LABELS, "label"),
    "coreference": mentions(),
    "edits": corrections(),
    "labels": parts(),
    "numbers": table(["0.5", "1.25"], "value"),
    "spans": tags(),
    "tuples": opinions(),
}
CASES: list[tuple[str, Mistake, str]] = [
    # What programs write around answers.
    ("classes", lambda lines: ["```", *lines, "```"], "2 lines are program output"),
    (
        "tuples",
        lambda lines: ["INFO 2025-03-01 12:00 read", *lines],
        "Line 1 is program",
    ),
    ("attachment", lambda lines: ["<pre>", *lines, "</pre>"], "2 lines are program"),
    # What stands around all lines.
    ("edits", each("+{}".format), "Something stands around every line"),
    ("tuples", each("gold.txt:{}".format), "Something stands around every line"),
    ("coreference", each("    {}".format), "Something stands around every line"),
    # Columns.
    (
        "classes",
        each(lambda line: line.replace("label", "labels")),
        "There is no column",
    ),
    (
        "attachment",
        each(lambda line: line.replace("\t", "\u00a0")),
        "There are no-break",
    ),
    # Answers.
    ("spans", each(lambda line: line.replace("B-", "b-")), "Tags have lower-case"),
    # The end.
    (
        "attachment",
        lambda lines: [*lines[:20], "Traceback (most recent call last):"],
        "",
    ),
    ("edits", at(2, lambda _line: "<<<<<<< HEAD\n=======\n>>>>>>> b"), "Git left two"),
]


def job(scorer: str) -> Job:
    return Job(get(scorer), parse(get(scorer).options, {}))


def source(lines: Lines, name: str = "gold") -> Source:
    return Source.of_bytes(name, ("\n".join(lines) + "\n").encode())


@loop_over("scorer", GOLD)
def test_a_right_answer_key_is_read(scorer: str) -> None:
    gold = source(GOLD[scorer])
    assert units_of(job(scorer), gold, blind_of(job(scorer), gold))


@loop_over(
    ("scorer", "mistake", "beginning"),
    CASES,
    ids=[f"{scorer}-{number}" for number, (scorer, *_rest) in enumerate(CASES)],
)
def test_the_first_sentence_is_the_cause(
    scorer: str, mistake: Mistake, beginning: str
) -> None:
    plain = source(mistake(GOLD[scorer]))
    packed = Source.of_bytes("gold.zip", zipped(plain.single()))
    for gold in (plain, packed):
        with pytest.raises(SetupError) as error:
            blind_of(job(scorer), gold)
        assert error.value.problems[0].message.startswith(beginning)


@loop_over(
    ("scorer", "mistake", "second"),
    [
        ("attachment", without(11), "sentence dev-12 is missing"),
        ("classes", body(cell(0, str.upper, ",")), "The ids are written differently"),
        ("spans", without(3), "sentence 4 is missing"),
    ],
    ids=["attachment", "classes", "spans"],
)
def test_gold_that_is_not_the_input_files_is_compared_with_it(
    scorer: str, mistake: Mistake, second: str
) -> None:
    gold = source(GOLD[scorer])
    blind = blind_of(job(scorer), gold)
    with pytest.raises(SetupError) as error:
        units_of(job(scorer), source(mistake(GOLD[scorer])), blind)
    first, cause, *_rest = error.value.problems
    assert first.message == "the gold does not answer what this input file asks"
    assert cause.message.startswith(second)


MANY = range(300)
REPEATED = {
    "no labels": ("classes", ["id,label", *(f"i{n}," for n in MANY)], 300),
    "one id": ("classes", ["id,label", *("i1,a" for _n in MANY)], 299),
    "cells": ("classes", ["id,label", *(f"i{n},a,b" for n in MANY)], 300),
    "heads": (
        "attachment",
        [x for _n in MANY for x in ("1\tw\tw\tX\t_\t_\t9\troot\t_\t_", "")],
        300,
    ),
}


@loop_over("name", [*REPEATED])
def test_what_is_wrong_in_every_line_is_said_once_with_a_count(name: str) -> None:
    scorer, lines, times = REPEATED[name]
    text = "\n".join([*lines, ""]).encode()
    gold = Source.of_bytes("gold.csv", text)
    with pytest.raises(SetupError) as refusal:
        units_of(job(scorer), gold, gold)
    first, *rest = refusal.value.problems
    assert [problem.code for problem in rest] in ([], ["more_problems"])
    left = sum(int(problem.values["count"]) for problem in rest)
    assert first.line and first.count > 1 and first.count + left == times
