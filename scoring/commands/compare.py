"""compare: systems on the same gold, paired over shared resamples."""

import argparse
import math
from collections.abc import Mapping, Sequence

from scoring import report
from scoring.commands import inputs
from scoring.compare import compare_all
from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.errors import Problem, UsageError
from scoring.measures import Measure
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.scorers import get
from scoring.source import Source


def add(commands: inputs.Commands) -> None:
    command = commands.add_parser("compare", help="compare systems, paired")
    inputs.add_files(command)
    inputs.add_resampling(command)
    command.add_argument("--format", choices=("text", "json"), default="text")
    command.add_argument("--measure", action="append", default=[])
    command.add_argument(
        "--margin", type=margin, help="of equivalence, in the measure's own units"
    )
    command.set_defaults(run=run)


def margin(text: str) -> float:
    """Raises ArgumentTypeError for what is no number above 0."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is no number above 0, as 0.005")
    return found


def run(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    options, plan = inputs.options_of(scorer, called), inputs.plan_of(called)
    systems = counted(called, scorer, options)
    measures = chosen_measures(scorer, called.measure, systems)
    found = [
        pair.at(called.margin)
        for measure in measures
        for pair in compare_all(systems, measure, plan)
    ]
    json = called.format == "json"
    print(report.comparisons_json(found) if json else report.comparisons_text(found))
    return 0


def counted(
    called: argparse.Namespace, scorer: Scorer, options: Options
) -> dict[str, Counts]:
    """Counts of every --system by its path.

    Raises UsageError for fewer than two different ones, and what reading raises.
    """
    if len(set(called.systems)) < max(2, len(called.systems)):
        message = "compare and separate take two or more --system, each once"
        raise UsageError(Problem("system", message))
    gold = inputs.gold_of(called)
    systems = {}
    for path in called.systems:
        pair = read_pair(scorer, gold, Source.of_path(path), options)
        systems[str(path)] = count(scorer, pair, options, called.unit)
    return systems


def chosen_measures(
    scorer: Scorer, names: Sequence[str], systems: Mapping[str, Counts]
) -> list[Measure]:
    """The named measures, per-tag ones of the systems among them; else all fixed ones.

    Raises UsageError for one that nobody has.
    """
    columns = dict.fromkeys(c for counts in systems.values() for c in counts.columns)
    known = {measure.name: measure for measure in scorer.measures(tuple(columns))}
    unknown = [name for name in names if name not in known]
    if unknown:
        message = f"no measure '{unknown[0]}'; there are: {', '.join(known)}"
        raise UsageError(Problem("measure", message))
    fixed = [measure.name for measure in scorer.measures(())]
    return [known[name] for name in names or fixed]
