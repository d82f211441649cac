"""laws: what every scorer has to keep to, for authors of scorers."""

import argparse
from pathlib import Path

from scoring import report
from scoring.commands import (
    OPTION,
    SCORER,
    argument,
    check_standard_input,
    command,
    layouts,
    raw_options,
    scorer_of,
    source_of,
)
from scoring.errors import Problem, UsageError
from scoring.laws import LAWS, Case, Example, checkable, findings, own_example
from scoring.scorer import Scorer

BROKEN = 1
SHOWN = 5


@command(
    "laws",
    "check that a scorer keeps the laws of all scorers",
    SCORER,
    argument(
        "--gold",
        type=Path,
        metavar="FILE",
        help="gold to check with (default: the scorer's own example)",
    ),
    argument(
        "--system",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        dest="systems",
        metavar="FILE",
        help="files that are scored against --gold",
    ),
    OPTION,
    layouts("text", "json"),
    example="classes --gold gold.tsv --system mine.tsv",
)
def check_laws(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    checkable(scorer)
    case = Case(scorer, _example(scorer, called))
    scorer.read_gold(case.example.gold, case.options)  # else all laws say the same
    differences = {law.__name__.replace("_", " "): findings(law, case) for law in LAWS}
    failed = sum(map(bool, differences.values()))
    if called.format == "json":
        laws = [
            {"law": law, "holds": not broken, "differences": broken}
            for law, broken in differences.items()
        ]
        print(report.answer_json("laws", scorer=scorer.name, laws=laws))
    else:
        for law, broken in differences.items():
            print(f"{'failed' if broken else 'ok':8}{law}")
            for difference in broken[:SHOWN]:
                print(f"        {difference}")
            if len(broken) > SHOWN:
                print(f"        and {len(broken) - SHOWN} more")
        print(f"{len(LAWS) - failed} of {len(LAWS)} laws hold for {scorer.name}")
    return BROKEN if failed else 0


def _example(scorer: Scorer, called: argparse.Namespace) -> Example:
    raw = raw_options(scorer, called.option)
    if called.gold is None and called.systems:
        raise UsageError(Problem("gold", "--system needs the --gold it is scored by"))
    if called.gold is None:
        return own_example(scorer, raw)
    check_standard_input([called.gold, *called.systems])
    gold = source_of(called.gold)
    systems = [source_of(path) for path in called.systems]
    return Example(gold, systems or [Case(scorer, Example(gold, (), raw)).perfect], raw)
