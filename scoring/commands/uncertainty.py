"""uncertainty: where that of a system's scores comes from."""

import argparse

from scoring import report
from scoring.commands import (
    FILES,
    MEASURE,
    UNIT,
    argument,
    command,
    layouts,
    options_of,
    scorer_of,
)
from scoring.commands.comparison import chosen_measures, counted_each
from scoring.counts import Counts, prompts_unlike
from scoring.errors import Problem, UsageError
from scoring.statistics.exchange import value_of
from scoring.statistics.variance_components import SOURCES, Sources, sources_of

HEAD = ("measure", "value", "error", *SOURCES)


@command(
    "uncertainty",
    "say where the uncertainty of a system's scores comes from: units, runs, prompts, "
    "judges. Several --system are runs of one system",
    *FILES,
    UNIT,
    layouts("text", "json"),
    MEASURE,
    argument(
        "--prompt",
        nargs="+",
        action="extend",
        default=[],
        dest="prompts",
        metavar="NAME",
        help="the prompt of each run, in the order of --system",
    ),
    example="classes --gold gold.tsv --system seed1.tsv seed2.tsv seed3.tsv",
)
def show_uncertainty(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    if wrong := prompts_unlike(called.prompts, len(called.systems)):
        raise UsageError(Problem("prompt", f"--prompt: {wrong}"))
    runs = counted_each(called, scorer, options_of(scorer, called))
    system = [Counts.of_runs(runs, called.prompts)]
    measures = chosen_measures(scorer, called.measure, {"": system[0]})
    sources = [(m.name, value_of(system, m), sources_of(system, m)) for m in measures]
    if called.format == "json":
        objects = [_as_dict(*source) for source in sources]
        print(report.answer_json("uncertainty", measures=objects))
        return 0
    print(
        "\n".join(report.align_columns([HEAD, *(_row(*source) for source in sources)]))
    )
    most = [parts for *_rest, parts in sources if parts is not None]
    if most and not any(parts.several for parts in most):
        print("! one run: how much runs of this system differ is not known")
    return 0


def _as_dict(name: str, value: float, sources: Sources | None) -> dict[str, object]:
    uncertainty = None if sources is None else sources.as_dict()
    return {
        "measure": name,
        "value": None if value != value else value,
        "uncertainty": uncertainty,
    }


def _row(name: str, value: float, sources: Sources | None) -> tuple[str, ...]:
    number = report.score_text(None if value != value else value)
    if sources is None:
        return (name, number, *["n/a"] * (len(HEAD) - 2))
    shares = sources.as_dict()["shares"].values()
    cells = ("-" if share is None else f"{share:.0%}" for share in shares)
    return (name, number, report.score_text(sources.error), *cells)
