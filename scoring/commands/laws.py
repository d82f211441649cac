"""laws: what every scorer has to keep to, for authors of scorers."""

import argparse
from pathlib import Path

from scoring.commands import argument, command, raw_options, scorer_of
from scoring.errors import Problem, UsageError
from scoring.laws import LAWS, Case, Example, checkable, findings, own_example
from scoring.scorer import Scorer
from scoring.source import Source

BROKEN = 1
SHOWN = 5


@command(
    "laws",
    "does a scorer keep the laws of all scorers?",
    argument("scorer"),
    argument("--gold", type=Path, help="default: the scorer's own example"),
    argument(
        "--system",
        type=Path,
        action="append",
        default=[],
        dest="systems",
        help="scored against --gold; repeatable",
    ),
    argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE"),
)
def check_laws(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    checkable(scorer)
    case, failed = Case(scorer, _example(scorer, called)), 0
    scorer.read_gold(case.example.gold, case.options)  # else all laws say the same
    for law in LAWS:
        differences = findings(law, case)
        failed += bool(differences)
        verdict = "failed" if differences else "ok"
        print(f"{verdict:8}{law.__name__.replace('_', ' ')}")
        for difference in differences[:SHOWN]:
            print(f"        {difference}")
        if len(differences) > SHOWN:
            print(f"        and {len(differences) - SHOWN} more")
    print(f"{len(LAWS) - failed} of {len(LAWS)} laws hold for {scorer.name}")
    return BROKEN if failed else 0


def _example(scorer: Scorer, called: argparse.Namespace) -> Example:
    raw = raw_options(scorer, called.option)
    if called.gold is None and called.systems:
        raise UsageError(Problem("gold", "--system needs the --gold it is scored by"))
    if called.gold is None:
        return own_example(scorer, raw)
    gold = Source.of_path(called.gold)
    systems = [Source.of_path(path) for path in called.systems]
    return Example(gold, systems or [Case(scorer, Example(gold, (), raw)).perfect], raw)
