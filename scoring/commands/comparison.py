"""compare and separate: systems on the same gold, and what that tells apart."""

import argparse
import math
from collections.abc import Mapping, Sequence

from scoring import report
from scoring.commands import (
    FILES,
    RESAMPLING,
    argument,
    command,
    layouts,
    options_of,
    plan_of,
    scorer_of,
)
from scoring.counts import Counts
from scoring.engine import Job, count_file
from scoring.errors import Problem, UsageError
from scoring.measures import Measure
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.source import Source
from scoring.statistics.comparison import compare_all
from scoring.statistics.power import Separation, separation


def margin(text: str) -> float:
    """Raises ArgumentTypeError for what is no number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is no number above 0, as 0.005")
    return number


@command(
    "compare",
    "compare systems, paired",
    *FILES,
    *RESAMPLING,
    layouts("text", "json"),
    argument("--measure", action="append", default=[]),
    argument(
        "--margin", type=margin, help="of equivalence, in the measure's own units"
    ),
)
def compare_systems(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    options, plan = options_of(scorer, called), plan_of(called)
    systems = counted(called, scorer, options)
    measures = chosen_measures(scorer, called.measure, systems)
    pairs = [
        pair.at(called.margin)
        for measure in measures
        for pair in compare_all(systems, measure, plan)
    ]
    json = called.format == "json"
    print(report.comparisons_json(pairs) if json else report.comparisons_text(pairs))
    return 0


def counted(
    called: argparse.Namespace, scorer: Scorer, options: Options
) -> dict[str, Counts]:
    """Counts of every --system by its path. Raises UsageError for fewer than two
    different ones, and what reading raises."""
    if len(set(called.systems)) < max(2, len(called.systems)):
        message = "compare and separate take two or more --system, each once"
        raise UsageError(Problem("system", message))
    job = Job(scorer, options, called.unit)
    gold = scorer.read_gold(Source.of_path(called.gold), options)
    return {
        str(path): count_file(job, gold, Source.of_path(path))
        for path in called.systems
    }


def chosen_measures(
    scorer: Scorer, names: Sequence[str], systems: Mapping[str, Counts]
) -> list[Measure]:
    """The named measures, per-tag ones of the systems among them; else all fixed ones.
    Raises UsageError for one that nobody has."""
    columns = dict.fromkeys(c for counts in systems.values() for c in counts.columns)
    known = {measure.name: measure for measure in scorer.measures(tuple(columns))}
    unknown = [name for name in names if name not in known]
    if unknown:
        message = f"no measure '{unknown[0]}'; there are: {', '.join(known)}"
        raise UsageError(Problem("measure", message))
    fixed = [measure.name for measure in scorer.measures(())]
    return [known[name] for name in names or fixed]


LEAST_DIFFERENCE = 1e-9
# Below a half a "difference that is found" would mostly not be.
LEAST_POWER = 0.5


@command(
    "separate",
    "smallest difference that pilot systems show this test set can separate",
    *FILES,
    *RESAMPLING,
    argument("--measure", action="append", default=[]),
    argument("--power", type=float, default=0.8),
    argument(
        "--systems",
        dest="board",
        type=int,
        default=2,
        metavar="N",
        help="how many will be on the board: all its pairs are corrected for (Holm)",
    ),
    argument("--difference", type=float, help="say how many units would separate this"),
)
def separate_systems(called: argparse.Namespace) -> int:
    _check_separate(called)
    scorer = scorer_of(called)
    options, plan = options_of(scorer, called), plan_of(called)
    pilots = counted(called, scorer, options)
    names = called.measure or [scorer.headline]
    separations = [
        separation(pilots, measure, plan, called.power, called.board)
        for measure in chosen_measures(scorer, names, pilots)
    ]
    rows: list[tuple[str, ...]] = [
        ("measure", "units", "systems", "smallest", "low", "high", "cautious", "needed")
    ]
    rows += [_row(smallest, called.difference) for smallest in separations]
    print("\n".join(report.aligned(rows)))
    return 0


def _check_separate(called: argparse.Namespace) -> None:
    difference = called.difference
    fine = difference is None or LEAST_DIFFERENCE <= difference < math.inf
    if not (fine and LEAST_POWER <= called.power < 1 and called.board >= 2):
        message = (
            f"expected a --power from {LEAST_POWER} to below 1, a --difference of "
            f"{LEAST_DIFFERENCE} or more and --systems of 2 or more"
        )
        raise UsageError(Problem("separate", message))


def _row(separation: Separation, difference: float | None) -> tuple[str, ...]:
    needed = "-" if difference is None else str(separation.units_for(difference))
    differences = (
        separation.smallest,
        separation.low,
        separation.high,
        separation.cautious,
    )
    sizes = (str(separation.units), str(separation.systems))
    return (separation.measure, *sizes, *map(report.score_text, differences), needed)
