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
from scoring.scorers import get
from scoring.statistics.runs import value_of
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


def best_of(scorer: Scorer, name_of: Callable[[bytes], bytes]) -> Scorer:
    """The scorer with a reader that takes of several lines of one name the one that
    scores best, as some programs of the field do."""

    def read(source: Source, options: Options, gold: Any) -> Any:
        header, *lines = source.single().splitlines(keepends=True)
        offered: dict[bytes, list[bytes]] = {}
        for line in lines:
            offered.setdefault(name_of(line), []).append(line)
        chosen = {name: own[0] for name, own in offered.items()}

        def answers() -> Any:
            data = b"".join([header, *chosen.values()])
            return scorer.read_system(Source.of_bytes("x", data), options, gold)

        def score() -> float:
            counts = scorer.count(gold, answers(), options)
            return value_of(counts, scorer.measure(scorer.headline, counts.columns))

        for name, own in offered.items():
            if len(own) > 1:
                scores = []
                for line in own:
                    chosen[name] = line
                    scores.append(score())
                chosen[name] = own[int(np.argmax(scores))]
        return answers()

    return replace(scorer, read_system=read)


@loop_over("name", ["clusterings", "early", "texts", "classes", "numbers"])
def test_a_scorer_that_takes_the_best_of_several_answers_is_caught(name: str) -> None:
    """Of two files in one form, which the examples of these scorers hold."""
    gold, systems = TWO_ANSWERS[name]
    files = [Source.of_bytes(f"{n}.csv", text) for n, text in enumerate(systems)]
    example = Example(Source.of_bytes("gold.csv", gold), files)
    law = laws.two_answers_are_no_better_than_the_better_one
    whole = get(name)
    assert findings(law, Case(whole, example)) == []
    broken = best_of(whole, lambda line: line.partition(b",")[0])
    assert findings(law, Case(broken, example))


TWO_ANSWERS = {
    "clusterings": (
        b"id,cluster\na,1\nb,1\nc,2\nd,2\n",
        (b"id,cluster\na,1\nb,1\nc,1\nd,2\n", b"id,cluster\na,2\nb,1\nc,2\nd,2\n"),
    ),
    "early": (
        b"id,label\na,1\nb,1\nc,0\nd,0\n",
        (b"id,delay\na,1\nb,0\nc,0\nd,3\n", b"id,delay\na,0\nb,1\nc,2\nd,0\n"),
    ),
    "texts": (
        b"id,source,text\na,a big boat,a boat\nb,the old mill,a mill\n",
        (b"id,text\na,a boat\nb,the sea\n", b"id,text\na,the sky\nb,a mill\n"),
    ),
    "classes": (
        b"id,label\na,x\nb,y\n",
        (b"id,label\na,x\nb,x\n", b"id,label\na,y\nb,y\n"),
    ),
    "numbers": (
        b"id,value\na,1\nb,2\nc,3\n",
        (b"id,value\na,1\nb,3\nc,1\n", b"id,value\na,5\nb,2\nc,3\n"),
    ),
}
