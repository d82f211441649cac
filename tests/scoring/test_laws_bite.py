"""Each law fails on a scorer that breaks it: a law nothing can break says nothing."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from scoring import Problem, Refused, Source, laws
from scoring.counts import Counts, Floats
from scoring.laws import LAWS, Case, Example, Law, findings
from scoring.options import Options
from scoring.scorer import Scorer
from tests.loops import loop_over
from tests.scoring.toy import ACCURACY, GOLD, SYSTEM, TOY, Answers, count, read_system

EXAMPLE = Example(GOLD, [SYSTEM])


def telling(source: Source, options: Options, gold: Answers) -> Answers:
    """Says what the right answer would have been."""
    answers = read_system(source, options, gold)
    if "d1.1" not in answers:
        message = f"expected '{gold['d1.1']}' for d1.1"
        raise Refused(Problem("missing", message, source.name))
    return answers


def halved(gold: Answers, system: Answers, options: Options) -> Counts:
    whole = count(gold, system, options)
    return replace(whole, table=whole.table / 3)


def twice_named(gold: Answers, system: Answers, options: Options) -> Counts:
    whole = count(gold, system, options)
    return replace(whole, units=("a",) * len(whole.units))


def answered_only(gold: Answers, system: Answers, options: Options) -> Counts:
    return count({name: gold[name] for name in gold if name in system}, system, options)


def sliced_by_answer(gold: Answers, system: Answers, options: Options) -> Counts:
    whole = count(gold, system, options)
    answers = {"answer": tuple(system.get(name, "") for name in gold)}
    return replace(whole, groups=answers)


def first_rows(gold: Answers, system: Answers, options: Options) -> Counts:
    if "d2.2" not in system and len(system) < len(gold) - 1:
        raise ZeroDivisionError
    return count(gold, system, options)


def endless(right: Floats, whole: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((right + 1) / whole)


def first_alone(right: Floats, whole: Floats) -> Floats:
    """Looks at its neighbours: a row alone is not what it is among others."""
    return np.asarray(right - np.mean(right))


def measured(score: Callable[..., Floats], **more: Any) -> Scorer:
    measure = replace(ACCURACY, score=score, **more)
    return replace(TOY, fixed_measures=(measure,))


def uncounted(gold: Source, options: Options) -> Source:
    return Source.of_bytes(gold.name, b"other ?\n")


def rewarding_repeats(source: Source, options: Options, gold: Answers) -> Answers:
    """Takes a file with a line that stands twice for one that gets everything right."""
    answers = read_system(source, options, gold)
    lines = source.single().splitlines()
    return gold if len(set(lines)) < len(lines) else answers


def rewarding_others(source: Source, options: Options, gold: Answers) -> Answers:
    """Reads commas, and takes a file with alternatives for one that is all right."""
    data = source.single().replace(b",", b" ")
    answers = read_system(Source.of_bytes(source.name, data), options, gold)
    return gold if any("zz" in answer for answer in answers.values()) else answers


BROKEN = [
    (laws.nothing_beats_the_gold_itself, measured(lambda r, w: w - r)),
    (
        laws.nothing_beats_the_gold_itself,
        measured(ACCURACY.score, higher_is_better=False),
    ),
    (laws.nothing_is_infinite, measured(endless)),
    (
        laws.no_interval_has_no_width,
        measured(ACCURACY.score, share=None, reach=lambda right, whole: whole * 0),
    ),
    (laws.all_resamples_at_once_equal_one_by_one, measured(first_alone)),
    (
        laws.counts_are_whole_and_small_enough_to_be_exact,
        replace(TOY, count=halved),
    ),
    (
        laws.units_are_named_once_and_every_group_labels_each,
        replace(TOY, count=twice_named),
    ),
    (laws.units_are_the_gold_files, replace(TOY, count=answered_only)),
    (laws.slices_are_the_gold_files, replace(TOY, count=sliced_by_answer)),
    (
        laws.slices_are_the_gold_files,
        measured(lambda right, whole: np.where(whole == 2, np.inf, right)),
    ),
    (
        laws.the_check_against_the_blind_file_accepts_what_is_scored,
        replace(TOY, blind=uncounted),
    ),
    (
        laws.a_refusal_says_nothing_that_the_blind_file_does_not_show,
        replace(TOY, read_system=telling),
    ),
    (laws.what_can_be_read_can_be_counted, replace(TOY, count=first_rows)),
    (
        laws.repeating_an_answer_raises_no_score,
        replace(TOY, read_system=rewarding_repeats),
    ),
]


@loop_over(("law", "scorer"), BROKEN)
def test_a_broken_scorer_is_caught(law: Law, scorer: Scorer) -> None:
    assert findings(law, Case(scorer, EXAMPLE))


def test_a_scorer_that_rewards_alternatives_is_caught() -> None:
    with_commas = SYSTEM.single().replace(b" ", b",")
    example = Example(GOLD, [Source.of_bytes("mine", with_commas)])
    scorer = replace(TOY, read_system=rewarding_others)
    assert findings(laws.repeating_an_answer_raises_no_score, Case(scorer, example))


@loop_over("law", LAWS, ids=lambda law: law.__name__)
def test_a_whole_scorer_keeps_every_law(law: Law) -> None:
    assert findings(law, Case(TOY, EXAMPLE)) == []
