"""compare and separate: systems on the same gold, and what that tells apart."""

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from scoring import report
from scoring.commands import (
    FILES,
    MEASURE,
    RESAMPLING,
    argument,
    check_standard_input,
    command,
    layouts,
    number,
    options_of,
    plan_of,
    quoting,
    scorer_of,
    source_of,
    whole,
)
from scoring.counts import Counts
from scoring.engine import Job, count, spelling_remarks
from scoring.errors import Problem, UsageError
from scoring.measure_names import own_names
from scoring.measures import Measure
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.statistics.comparison import compare_all
from scoring.statistics.groups import coarser
from scoring.statistics.power import Separation, separation

LEAST_DIFFERENCE, MOST_DIFFERENCE = 1e-9, 1e9
# Below a half a "difference that is found" would mostly not be.
LEAST_POWER = 0.5
MOST_SYSTEMS = 10_000
DIFFERENCE = number(
    f"a number from {LEAST_DIFFERENCE} to {MOST_DIFFERENCE}, such as 0.005",
    lambda value: LEAST_DIFFERENCE <= value <= MOST_DIFFERENCE,
)


@command(
    "compare",
    "compare systems, paired",
    *FILES,
    *RESAMPLING,
    layouts("text", "json"),
    MEASURE,
    argument(
        "--margin",
        type=DIFFERENCE,
        metavar="D",
        help="margin of equivalence, in the measure's own units",
    ),
    example="attachment --gold gold.conllu --system mine.conllu other.conllu",
)
def compare_systems(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    options, plan = options_of(scorer, called), plan_of(called)
    systems = count_systems(called, scorer, options)
    groups = coarser(scorer.units, called.unit)
    measures = chosen_measures(scorer, called.measure, systems)
    pairs = [
        pair.at(called.margin)
        for measure in measures
        for pair in compare_all(systems, measure, plan, groups)
    ]
    json = called.format == "json"
    print(report.comparisons_json(pairs) if json else report.comparisons_text(pairs))
    return 0


def count_systems(
    called: argparse.Namespace, scorer: Scorer, options: Options
) -> dict[str, Counts]:
    """Counts of every --system by its path. Raises UsageError for fewer than two
    different ones, and what reading raises."""
    if len(set(called.systems)) < max(2, len(called.systems)):
        message = "compare and separate take two or more --system, each once"
        raise UsageError(Problem("system", message))
    counts = counted_each(called, scorer, options)
    return {str(p): system for p, system in zip(called.systems, counts, strict=True)}


def counted_each(
    called: argparse.Namespace, scorer: Scorer, options: Options
) -> list[Counts]:
    """Counts of every --system in order. Raises what reading raises."""
    check_standard_input([called.gold, *called.systems])
    job = Job(scorer, options, called.unit)
    gold = scorer.read_gold(source_of(called.gold), options)
    counts = []
    for path in called.systems:
        system = source_of(path)
        with quoting(system):
            pair = gold, scorer.read_system(system, options, gold)
            counts.append(count(scorer, pair, options, called.unit))
        for name in spelling_remarks(job, pair):
            print(f"{path}: {name}", file=sys.stderr)
    return counts


def chosen_measures(
    scorer: Scorer, names: Sequence[str], systems: Mapping[str, Counts]
) -> list[Measure]:
    """The named measures, per-tag ones of the systems among them; else all fixed ones.
    Raises UsageError for one that nobody has."""
    columns = dict.fromkeys(c for counts in systems.values() for c in counts.columns)
    by_name = {measure.name: measure for measure in scorer.measures(tuple(columns))}
    fixed = [measure.name for measure in scorer.measures(())]
    return [by_name[name] for name in own_names(names or fixed, list(by_name))]


@command(
    "separate",
    "smallest difference that pilot systems show this test set can separate",
    *FILES,
    *RESAMPLING,
    layouts("text", "json"),
    MEASURE,
    argument(
        "--power",
        type=number(
            f"a number from {LEAST_POWER} to below 1",
            lambda power: LEAST_POWER <= power < 1,
        ),
        default=0.8,
        metavar="P",
        help="chance to find a difference of that size",
    ),
    argument(
        "--systems",
        dest="board",
        type=whole(2, MOST_SYSTEMS),
        default=2,
        metavar="N",
        help="how many will be on the board: all its pairs are corrected for (Holm)",
    ),
    argument(
        "--difference",
        type=DIFFERENCE,
        metavar="D",
        help="say how many units would separate this difference",
    ),
    example="classes --gold gold.tsv --system a.tsv b.tsv --systems 20",
)
def separate_systems(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    options, plan = options_of(scorer, called), plan_of(called)
    pilots = count_systems(called, scorer, options)
    names = called.measure or [scorer.headline]
    groups = coarser(scorer.units, called.unit)
    separations = [
        separation(pilots, measure, plan, called.power, called.board, groups=groups)
        for measure in chosen_measures(scorer, names, pilots)
    ]
    if called.format == "json":
        objects = [_as_dict(smallest, called.difference) for smallest in separations]
        print(report.answer_json("separate", measures=objects))
        return 0
    rows: list[tuple[str, ...]] = [
        ("measure", "units", "systems", "smallest", "low", "high", "cautious", "needed")
    ]
    rows += [_row(smallest, called.difference) for smallest in separations]
    print("\n".join([*report.align_columns(rows), *report.compared_by(separations)]))
    return 0


DIFFERENCES = ("smallest", "low", "high", "cautious")


def _as_dict(separation: Separation, difference: float | None) -> dict[str, Any]:
    """A row of `_row` as JSON; a difference that nothing would separate is null."""
    numbers = {name: getattr(separation, name) for name in DIFFERENCES}
    needed = None if difference is None else separation.units_for(difference)
    return {
        "measure": separation.measure,
        "units": separation.units,
        "systems": separation.systems,
        "compared_by": separation.compared_by,
        **{k: v if math.isfinite(v) else None for k, v in numbers.items()},
        "needed": needed,
    }


def _row(separation: Separation, difference: float | None) -> tuple[str, ...]:
    units = None if difference is None else separation.units_for(difference)
    needed = "-" if units is None else str(units)
    differences = (getattr(separation, name) for name in DIFFERENCES)
    sizes = (str(separation.units), str(separation.systems))
    return (separation.measure, *sizes, *map(report.score_text, differences), needed)
