"""The path of a score, on one screen: read, align, count, aggregate, bootstrap."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring import bootstrap
from scoring.bootstrap import Estimate, Plan
from scoring.counts import Counts
from scoring.errors import Problem, Refused, UsageError
from scoring.options import Options
from scoring.quoting import quoted
from scoring.scorer import Scorer, Tables
from scoring.signature import signature
from scoring.source import Source

DEFAULT_PLAN = Plan()


@dataclass(frozen=True)
class Result:
    """What one system gets on one test set."""

    scorer: str
    signature: str
    unit: str
    units: int
    measures: dict[str, Estimate]
    counts: dict[str, float]
    tables: Tables
    remarks: list[str]


def read_pair(
    scorer: Scorer, gold: Source, system: Source, options: Options
) -> tuple[Any, Any]:
    """Read both sides.

    Raises SetupError for gold, Refused for the system's file.
    """
    answers = scorer.read_gold(gold, options)
    return answers, scorer.read_system(system, options, answers)


def count(
    scorer: Scorer, pair: tuple[Any, Any], options: Options, unit: str = ""
) -> Counts:
    """Counts of a read pair, in the unit asked for (default: the finest).

    Raises UsageError when the scorer or the gold has no such unit.
    """
    unit = unit or scorer.units[0]
    if unit not in scorer.units:
        known = ", ".join(scorer.units)
        message = f"{scorer.name} has no unit '{unit}'; it knows: {known}"
        raise UsageError(Problem("unit", message))
    counts = scorer.count(*pair, options)
    if unit == scorer.units[0]:
        return counts
    if unit not in counts.groups:
        raise UsageError(Problem("unit", f"the gold names no unit '{unit}'"))
    return counts.by(unit)


def summarise(
    scorer: Scorer, counts: Counts, options: Options, unit: str, plan: Plan
) -> Result:
    """Every measure of counted units, with intervals."""
    unit = unit or scorer.units[0]
    measures = scorer.measures(counts.columns)
    return Result(
        scorer=scorer.name,
        signature=signature(scorer.name, scorer.options, options, unit, plan),
        unit=unit,
        units=len(counts.units),
        measures=bootstrap.estimates(counts, measures, plan),
        counts=counts.as_numbers(),
        tables=scorer.tables(counts, options),
        remarks=bootstrap.remarks(len(counts.units)),
    )


@dataclass(frozen=True)
class Job:
    """A scorer with its options, unit and resampling: what a task fixes."""

    scorer: Scorer
    options: Options
    unit: str = ""
    plan: Plan = DEFAULT_PLAN


def evaluate(job: Job, gold: Source, system: Source) -> Result:
    """Score one file against gold.

    Raises SetupError, Refused or UsageError; see SCORING.md for what is refused.
    """
    pair = read_pair(job.scorer, gold, system, job.options)
    counts = count(job.scorer, pair, job.options, job.unit)
    result = summarise(job.scorer, counts, job.options, job.unit, job.plan)
    result.remarks.extend(job.scorer.remarks(*pair, job.options))
    return result


def check(
    scorer: Scorer, blind: Source, system: Source, options: Options
) -> Sequence[Problem]:
    """Problems of a system's file against the published blind file; empty if fine.

    They quote the system's file, see `scoring.quoting`.
    """
    published = scorer.read_blind(blind, options)
    try:
        scorer.read_system(system, options, published)
    except Refused as refusal:
        return quoted(refusal.problems, system)
    return ()
