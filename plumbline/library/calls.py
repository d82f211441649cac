"""score, compare and power: what the command line does, for values in memory."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plumbline.library.comparisons import Comparisons
from plumbline.library.scores import Score
from plumbline.library.sources import sources
from scoring.commands import MOST_RESAMPLES, MOST_SEED, PLAN, quoting
from scoring.commands.comparison import LEAST_POWER, MOST_SYSTEMS, chosen_measures
from scoring.counts import Counts
from scoring.engine import Job, Result, count_file, evaluate, summarise
from scoring.errors import Problem, UsageError
from scoring.options import parse
from scoring.runner import run_at_home, runner
from scoring.scorer import Scorer
from scoring.scorers import get, of_task
from scoring.source import Source
from scoring.statistics import groups
from scoring.statistics.bootstrap import Plan
from scoring.statistics.comparison import compare_all
from scoring.statistics.power import POWER, Separation, separation

PREDICTED = "predicted"


class Runs:
    """Answers of several runs of one system, as from several seeds: one entry.

    >>> plumbline.score("classes", gold, plumbline.Runs(first, second, third))
    """

    def __init__(self, *runs: Any) -> None:
        if not runs:
            raise UsageError(Problem("runs", "expected one run or more"))
        self.runs = runs


def score(
    scorer: str,
    gold: Any,
    predicted: Any,
    *,
    unit: str = "",
    resamples: int = PLAN.resamples,
    seed: int = PLAN.seed,
    confidence: float = PLAN.level,
    **options: Any,
) -> Score:
    """The score of one system, or of several runs of it (`Runs`), with intervals.

    `scorer` is a name of `plumbline.scorers`. Gold and answers are lists, arrays,
    series, data frames, mappings from id to answer, paths, or bytes of a file; `unit`,
    `resamples` and `seed` are those of the command line, `confidence` the level of the
    intervals, and `options` those of the scorer.

    >>> result = plumbline.score("classes", ["a", "b", "b"], ["a", "b", "a"])
    >>> result["accuracy"].value, result["accuracy"].interval

    Raises Refused for answers that cannot be scored, SetupError for such gold and
    UsageError for a call that makes no sense; `problems` of each has every place.
    """
    call = _Call.of(scorer, options, unit, _plan(resamples, seed, confidence))
    runs = predicted.runs if isinstance(predicted, Runs) else (predicted,)
    names = [PREDICTED]
    if isinstance(predicted, Runs):
        names = [f"run {number}" for number in range(1, len(runs) + 1)]
    gold_file, files = sources(
        call.job.scorer, call.job.options, gold, dict(zip(names, runs, strict=True))
    )
    with _programs_run():
        each = [call.score_file(gold_file, files[name]) for name in names]
        if len(each) == 1:
            return each[0]
        whole = call.together(gold_file, list(files.values()))
    remarks = dict.fromkeys(note for part in each for note in part.remarks)
    result = replace(whole, remarks=[*remarks])
    return Score(result, call.job.scorer, tuple(each))


def compare(
    scorer: str,
    gold: Any,
    *systems: Any,
    names: Sequence[str] = (),
    measures: Sequence[str] | str = (),
    margin: float | None = None,
    unit: str = "",
    resamples: int = PLAN.resamples,
    seed: int = PLAN.seed,
    confidence: float = PLAN.level,
    **options: Any,
) -> Comparisons:
    """All pairs of systems, paired: difference, interval and the test of the board.

    P-values are corrected (Holm) over the pairs of each measure. Where systems differ
    alike inside documents, these are compared in place of their sentences
    (`compared_by`). `measures` are all
    of the scorer's where none is named; `margin` is one of equivalence.

    >>> compared = plumbline.compare("classes", gold, mine, other)
    >>> compared["macro_f1"].difference, compared["macro_f1"].p_value
    """
    call = _Call.of(scorer, options, unit, _plan(resamples, seed, confidence))
    counted = call.count_systems(gold, systems, names)
    chosen = chosen_measures(call.job.scorer, _names(measures), counted)
    pairs = [
        pair.at(margin)
        for measure in chosen
        for pair in compare_all(counted, measure, call.job.plan, call.groups)
    ]
    return Comparisons(pairs, [measure.name for measure in chosen])


def power(
    scorer: str,
    gold: Any,
    *pilots: Any,
    measure: str = "",
    systems: int = 2,
    power: float = POWER,
    unit: str = "",
    confidence: float = PLAN.level,
    **options: Any,
) -> Separation:
    """The smallest true difference that this test set tells apart, as pilots show it.

    It is found with probability `power` on a board of so many `systems`;
    `units_for(difference)` of the answer says how many units another one would take.

    >>> plumbline.power("classes", gold, mine, other, systems=20).smallest
    """
    power = _between("power", power, LEAST_POWER)
    systems = _whole("systems", systems, MOST_SYSTEMS)
    if systems < 2:
        raise _wrong(f"systems is {systems}; expected 2 to {MOST_SYSTEMS}")
    call = _Call.of(scorer, options, unit, _plan(PLAN.resamples, 0, confidence))
    counted = call.count_systems(gold, pilots, ())
    named = [measure or call.job.scorer.headline]
    (chosen,) = chosen_measures(call.job.scorer, named, counted)
    plan, groups = call.job.plan, call.groups
    return separation(counted, chosen, plan, power, systems, groups=groups)


@dataclass(frozen=True)
class _Call:
    """A scorer with options, unit and plan, and what it makes of files."""

    job: Job

    @property
    def groups(self) -> tuple[str, ...]:
        """The units of the scorer that are coarser than that of the job."""
        return groups.coarser(self.job.scorer.units, self.job.unit)

    @classmethod
    def of(
        cls, name: str, options: Mapping[str, Any], unit: str, plan: Plan
    ) -> "_Call":
        raw = _raw(get(name), options)
        scorer = of_task(name, raw)
        return cls(Job(scorer, parse(scorer.options, raw), unit, plan))

    def score_file(self, gold: Source, system: Source) -> Score:
        with quoting(system):
            result = evaluate(self.job, gold, system)
        return Score(result, self.job.scorer)

    def together(self, gold: Source, systems: Sequence[Source]) -> Result:
        """The result of several runs as one entry."""
        job = self.job
        read = job.scorer.read_gold(gold, job.options)
        unit = job.unit or job.scorer.unit_of(read)
        counts = Counts.of_runs([count_file(job, read, system) for system in systems])
        result = summarise(job.scorer, counts, job.options, unit, job.plan)
        headline = job.scorer.measure(job.scorer.headline, counts.columns)
        coarser = groups.coarser(job.scorer.units, unit)
        effects = groups.design_effects(counts, headline, coarser)
        return replace(result, design_effect=effects)

    def count_systems(
        self, gold: Any, systems: Sequence[Any], names: Sequence[str]
    ) -> dict[str, Counts]:
        """Counts of systems by name."""
        if len(systems) < 2:
            raise _wrong("expected two systems or more")
        called = list(names) or _names_of_systems(systems)
        if len(called) != len(systems) or len(set(called)) < len(called):
            raise _wrong(f"expected {len(systems)} different names")
        single = {
            (name, number): run
            for name, system in zip(called, systems, strict=True)
            for number, run in enumerate(
                system.runs if isinstance(system, Runs) else [system]
            )
        }
        job, labels = self.job, {key: _label(*key, single) for key in single}
        given = {labels[key]: run for key, run in single.items()}
        gold_file, files = sources(job.scorer, job.options, gold, given)
        counts: dict[str, list[Counts]] = {}
        with _programs_run():
            read = job.scorer.read_gold(gold_file, job.options)
            for (name, number), _ in single.items():
                file = files[labels[name, number]]
                with quoting(file):
                    counted = count_file(job, read, file)
                counts.setdefault(name, []).append(counted)
        return {name: Counts.of_runs(runs) for name, runs in counts.items()}


def _label(name: str, number: int, single: Mapping[tuple[str, int], Any]) -> str:
    """The name of a file in messages: its system, and its run where several are."""
    return f"{name}, run {number + 1}" if (name, 1) in single else name


def _names_of_systems(systems: Sequence[object]) -> list[str]:
    """Paths are called by themselves, values by their number."""
    return [
        str(system) if isinstance(system, str | os.PathLike) else f"system {number}"
        for number, system in enumerate(systems, 1)
    ]


def _names(measures: Sequence[str] | str) -> Sequence[str]:
    return [measures] if isinstance(measures, str) else measures


def _plan(resamples: int, seed: int, confidence: float) -> Plan:
    drawn = _whole("resamples", resamples, MOST_RESAMPLES)
    level = _between("confidence", confidence)
    return Plan(drawn, _whole("seed", seed, MOST_SEED), level)


def _whole(name: str, value: Any, most: int) -> int:
    """A whole number, also one that is written as a text or as 1000.0."""
    number = _number(value)
    if number is None or not number.is_integer() or not 0 <= number <= most:
        raise _wrong(f"{name} is {value!r}; expected a whole number from 0 to {most}")
    return int(number)


def _between(name: str, value: Any, least: float = 0.0) -> float:
    number = _number(value)
    if number is None or not least <= number < 1 or number == 0:
        raise _wrong(f"{name} is {value!r}; expected a number between {least:g} and 1")
    return number


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _wrong(message: str) -> UsageError:
    return UsageError(Problem("argument", message))


def _raw(scorer: Scorer, options: Mapping[str, Any]) -> dict[str, list[str | Source]]:
    """Options as the command line has them. Raises OSError for a file not there."""
    files = {option.name for option in scorer.options if option.kind == "file"}
    raw: dict[str, list[str | Source]] = {}
    for name, value in options.items():
        if value is None:
            continue
        if name in files:
            raw[name] = [_option_file(name, value)]
        elif isinstance(value, list | tuple | set | frozenset):
            raw[name] = [_word(part) for part in value]
        else:
            raw[name] = [_word(value)]
    return raw


def _option_file(name: str, value: Any) -> Source:
    if isinstance(value, Source):
        return value
    if isinstance(value, bytes):
        return Source.of_bytes(name, value)
    return Source.of_path(Path(value))


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@contextmanager
def _programs_run() -> Iterator[None]:
    """Scoring programs may run: they are those of who calls, as on the command line."""
    token = runner.set(run_at_home)
    try:
        yield
    finally:
        runner.reset(token)
