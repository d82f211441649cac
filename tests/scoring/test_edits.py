"""Edits: cases worked by hand and printed by errant_compare of ERRANT 3.0.2."""

import numpy as np
import pytest

from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.errors import Refused, SetupError
from scoring.options import parse
from scoring.report import details_csv
from scoring.scorers import get
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring.examples.edits import EAGER, FAIR, GOLD, m2

SCORER = get("edits")


def counted(gold: Source, system: Source, **options: str) -> Counts:
    parsed = parse(SCORER.options, {name: [v] for name, v in options.items()})
    return count(SCORER, read_pair(SCORER, gold, system, parsed), parsed)


def totals(counts: Counts, tag: str = "") -> tuple[float, ...]:
    return tuple(counts.total(name + tag) for name in ("tp", "fp", "fn"))


def value(counts: Counts, name: str) -> float:
    measure = SCORER.measure(name, counts.columns)
    return float(measure.of(counts.totals, counts.columns))


# What errant_compare prints for these files: TP, FP, FN and P, R, F0.5 to four places.
PRINTED = {
    "correction": ((4, 1, 2), (0.8, 0.6667, 0.7692)),
    "classification": ((4, 1, 2), (0.8, 0.6667, 0.7692)),
    "span": ((5, 0, 2), (1.0, 0.7143, 0.9259)),
    "token": ((7, 0, 1), (1.0, 0.875, 0.9722)),
}


@pytest.mark.parametrize("level", PRINTED)
def test_counts_and_figures_are_those_that_errant_prints(level: str) -> None:
    expected, figures = PRINTED[level]
    counts = counted(GOLD, FAIR, level=level)
    assert totals(counts) == expected
    for name, figure in zip(("precision", "recall", "f05"), figures, strict=True):
        assert round(value(counts, name), 4) == figure


def test_the_annotator_counts_who_is_best_with_all_sentences_before() -> None:
    # Against the second annotator the first sentence is right; against the first one
    # edit is lacking.
    counts = counted(GOLD, FAIR)
    assert totals(counts.where(np.array([0]))) == (1, 0, 0)
    # The first annotator has nothing to correct, the second has too_late.
    assert totals(counts.where(np.array([2]))) == (0, 0, 0)


def test_types_have_measures_of_their_own_in_three_tiers() -> None:
    counts = counted(GOLD, FAIR)
    assert totals(counts, "[M:DET]") == (1, 0, 1)
    assert value(counts, "f05[M:DET]") == pytest.approx(5 / 6)
    assert totals(counted(GOLD, FAIR, types="main"), "[VERB]") == (1, 1, 0)
    assert totals(counted(GOLD, FAIR, types="operation"), "[R]") == (2, 1, 1)


def test_nothing_said_and_nothing_to_say_is_all_right() -> None:
    silent = m2("s", "It is late .")
    counts = counted(silent, silent)
    assert [value(counts, name) for name in ("precision", "recall", "f05")] == [1, 1, 1]
    eager = m2("s", "It is late . / 0 1 R:PRON That 0")
    assert value(counted(silent, eager), "f05") == 0
    assert value(counted(eager, silent), "precision") == 1
    assert value(counted(eager, silent), "f05") == 0


def test_types_that_are_left_out_count_on_neither_side() -> None:
    assert totals(counted(GOLD, EAGER, leave_out="M:DET"), "[M:DET]") == (0, 0, 0)


REFUSED = {
    "other token": ("S It was late .\n", "differs at token 2: 'was'", 1),
    "fewer tokens": ("S It is\n", "ends after 2 of 4 tokens", 1),
    "fields": ("S It is late .\nA 0 1|||X|||y\n", "expected six fields", 2),
    "span": ("S It is late .\nA x 1|||X|||y|||R|||-|||0\n", "expected two numbers", 2),
    "range": ("S It is late .\nA 3 9|||X|||y|||R|||-|||0\n", "the sentence has 4", 2),
    "annotator": (
        "S It is late .\nA 0 1|||X|||y|||R|||-|||a\n",
        "expected a number",
        2,
    ),
    "junk": ("S It is late .\nhello\n", "begins with 'S ' or 'A '", 2),
    "early": ("A 0 1|||X|||y|||R|||-|||0\nS It is late .\n", "before the first", 1),
    "second annotator": (
        "S It is late .\nA 0 1|||X|||y|||R|||-|||0\nA 2 3|||X|||z|||R|||-|||1\n",
        "a second annotator, 1",
        3,
    ),
    "noop beside": (
        "S It is late .\nA -1 -1|||noop|||-NONE-|||R|||-|||0\n"
        "A 2 3|||X|||z|||R|||-|||1\n",
        "a second annotator, 1",
        3,
    ),
    "alternative": (
        "S It is late .\nA 0 1|||X|||y|||R|||-|||0\nA 0 1|||X|||z|||R|||-|||0\n",
        "0 to 1 overlaps another",
        3,
    ),
    "overlap": (
        "S It is late .\nA 0 2|||X|||y|||R|||-|||0\nA 1 3|||X|||z|||R|||-|||0\n",
        "1 to 3 overlaps another",
        3,
    ),
    "inserted twice": (
        "S It is late .\nA 1 1|||X|||y|||R|||-|||0\nA 1 1|||X|||z|||R|||-|||0\n",
        "1 to 1 overlaps another",
        3,
    ),
    "more": ("S It is late .\n\nS More .\n", "2 sentences found, 1 expected", 3),
}


@loop_over("name", REFUSED)
def test_a_file_is_refused_with_the_line_of_what_is_wrong(name: str) -> None:
    text, words, line = REFUSED[name]
    gold = m2("gold", "It is late . / 0 1 R:PRON That 0")
    with pytest.raises(Refused, match=words) as caught:
        counted(gold, Source.of_bytes("mine.m2", text.encode()))
    problem = caught.value.problems[0]
    assert (problem.file, problem.line) == ("mine.m2", line)


def test_all_sentences_that_differ_are_told_at_once() -> None:
    other = FAIR.single().replace(b"boats", b"ships").replace(b"lamp", b"lamps")
    with pytest.raises(Refused) as caught:
        counted(GOLD, Source.of_bytes("mine.m2", other))
    assert [problem.line for problem in caught.value.problems] == [1, 4]


def test_a_gold_with_alternatives_is_whole_against_its_first_annotator() -> None:
    gold = m2("gold", "It is late . / 0 1 A x 1 / 0 2 A y 1 / 2 3 B z 0 / 3 3 C w 0")
    parsed = parse(SCORER.options, {})
    counts = counted(gold, SCORER.perfect(gold, parsed))
    assert totals(counts) == (1, 0, 1)
    assert value(counted(GOLD, SCORER.perfect(GOLD, parsed)), "f05") == 1


def test_problems_of_the_gold_are_set_up_errors() -> None:
    with pytest.raises(SetupError, match="begins with 'S ' or 'A '"):
        counted(Source.of_bytes("gold", b"hello\n"), FAIR)


def test_details_show_every_edit_of_the_annotators_that_count() -> None:
    parsed = parse(SCORER.options, {})
    pair = read_pair(SCORER, GOLD, FAIR, parsed)
    rows = details_csv(SCORER.details(*pair, parsed)).splitlines()
    assert rows[1] == "0000001,match,3-4 on,R:PREP,at"
    assert "0000002,spurious,1-2 buy,R:VERB,bought" in rows
    assert "0000002,missing,4-4,M:DET,the" in rows
    assert len(rows) == 1 + sum(totals(counted(GOLD, FAIR)))
