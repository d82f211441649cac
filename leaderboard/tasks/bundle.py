"""A task bundle: `task.yaml` and the files it names, from a folder or a zip."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import yaml

from leaderboard.tasks.manifest import MANIFEST, Reader, as_one_file
from scoring.engine import Job, count
from scoring.errors import Problem, Refused, ScoringError, SetupError, UsageError
from scoring.options import Option, parse
from scoring.scorer import Scorer
from scoring.scorers import get
from scoring.source import Source, decode

FORMAT = 1
MOST_MANIFEST_BYTES = 200_000


@dataclass(frozen=True)
class TestSetPlan:
    name: str
    title: str
    gold: Source
    blind: Source
    units: int


@dataclass(frozen=True)
class PhasePlan:
    name: str
    title: str
    opens: datetime
    closes: datetime | None
    test_sets: tuple[str, ...]
    daily_limit: int | None


@dataclass(frozen=True)
class TaskPlan:
    """A bundle that was read and checked: everything to create the task from."""

    slug: str
    title: str
    summary: str
    description: str
    synthetic: bool
    scorer: Scorer
    raw_options: Mapping[str, list[str | Source]]
    measures: tuple[str, ...]
    headline: str
    unit: str
    resamples: int
    seed: int
    level: float
    test_sets: tuple[TestSetPlan, ...]
    phases: tuple[PhasePlan, ...]


def load(source: Source) -> TaskPlan:
    """Read a bundle and check it whole, gold against itself included.

    Raises SetupError with every problem of the manifest, or of the gold files.
    """
    source = _rooted(source)
    reader = Reader(source)
    table = _manifest(source)
    if table.get("plumbline") != FORMAT:
        reader.wrong("plumbline", f"the bundle format, {FORMAT}")
    scoring = reader.value(table, "scorer", dict)
    scorer = _scorer(reader, scoring)
    raw = _raw_options(reader, scorer.options, scoring.get("options") or {})
    reader.findings.raise_if_any(SetupError)
    plan = _plan(reader, table, scorer, raw)
    reader.findings.raise_if_any(SetupError)
    return plan


def _rooted(source: Source) -> Source:
    """The bundle without the one folder it may be wrapped in."""
    if MANIFEST in source.files:
        return source
    roots = {name.partition("/")[0] for name in source.files}
    if len(roots) == 1 and f"{(root := roots.pop())}/{MANIFEST}" in source.files:
        return Source(
            source.name,
            {n.removeprefix(root + "/"): data for n, data in source.files.items()},
        )
    message = f"no {MANIFEST} in the bundle; it belongs at the top"
    raise SetupError(Problem("no_manifest", message, source.name))


def _manifest(source: Source) -> dict[str, Any]:
    data = source.files[MANIFEST]
    if len(data) > MOST_MANIFEST_BYTES:
        raise SetupError(Problem("manifest", "the file is too long", MANIFEST))
    try:
        table = yaml.safe_load(decode(MANIFEST, data))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else None
        message = f"not readable as YAML: {error.problem}"
        raise SetupError(Problem("yaml", message, MANIFEST, line)) from None
    except (yaml.YAMLError, RecursionError):
        raise SetupError(Problem("yaml", "not readable as YAML", MANIFEST)) from None
    if not isinstance(table, dict):
        raise SetupError(Problem("yaml", "expected a table of keys", MANIFEST))
    return table


def _scorer(reader: Reader, scoring: dict[str, Any]) -> Scorer:
    try:
        return get(reader.value(scoring, "name", str))
    except ScoringError as error:
        raise SetupError(error.problems) from None


def _raw_options(
    reader: Reader, declared: tuple[Option, ...], given: dict[str, Any]
) -> dict[str, list[str | Source]]:
    files = {option.name for option in declared if option.kind == "file"}
    raw: dict[str, list[str | Source]] = {}
    for name, value in given.items():
        if name in files:
            raw[name] = [reader.file(given, name)]
            continue
        values = value if isinstance(value, list) else [value]
        raw[name] = [str(v).lower() if isinstance(v, bool) else str(v) for v in values]
    try:
        parse(declared, raw)
    except ScoringError as error:
        raise SetupError(error.problems) from None
    return raw


def _plan(
    reader: Reader,
    table: dict[str, Any],
    scorer: Scorer,
    raw: dict[str, list[str | Source]],
) -> TaskPlan:
    scoring = table["scorer"]
    draws = reader.value(table, "bootstrap", dict, {})
    measures, headline = _chosen_measures(reader, scoring, scorer)
    unit = reader.value(scoring, "unit", str, scorer.units[0])
    if unit not in scorer.units:
        reader.wrong("unit", f"one of {', '.join(scorer.units)}")
    reader.findings.raise_if_any(SetupError)
    job = Job(scorer, parse(scorer.options, raw), unit)
    test_sets = _test_sets(reader, table, job)
    return TaskPlan(
        slug=reader.value(table, "slug", str),
        title=reader.value(table, "title", str),
        summary=reader.value(table, "summary", str, "-"),
        description=_description(reader, table),
        synthetic=reader.value(table, "synthetic", bool, False),
        scorer=scorer,
        raw_options=raw,
        measures=measures,
        headline=headline,
        unit=unit,
        resamples=reader.value(draws, "resamples", int, 1000),
        seed=reader.value(draws, "seed", int, 2026),
        level=reader.value(draws, "level", float, 0.95),
        test_sets=test_sets,
        phases=_phases(reader, table, tuple(t.name for t in test_sets)),
    )


def _chosen_measures(
    reader: Reader, scoring: dict[str, Any], scorer: Scorer
) -> tuple[tuple[str, ...], str]:
    """Measures that are shown, in order, and the one that ranks."""
    names = sorted(measure.name for measure in scorer.measures(()))
    measures = tuple(reader.value(scoring, "measures", list, []))
    headline = reader.value(scoring, "headline", str, scorer.headline)
    for name in (*measures, headline):
        try:
            scorer.measure(str(name))
        except KeyError:
            reader.wrong("measures", f"one of {', '.join(names)}; not '{name}'")
    return tuple(map(str, measures)), headline


def _description(reader: Reader, table: dict[str, Any]) -> str:
    if "description" not in table:
        return ""
    source = reader.file(table, "description")
    return decode(source.name, source.single()) if source.single() else ""


def _test_sets(
    reader: Reader, table: dict[str, Any], job: Job
) -> tuple[TestSetPlan, ...]:
    found = []
    for entry in reader.value(table, "test_sets", list):
        name = reader.value(entry, "name", str)
        title = reader.value(entry, "title", str, name or "-")
        gold = reader.file(entry, "gold")
        own_blind = isinstance(entry, dict) and "blind" in entry
        blind = reader.file(entry, "blind") if own_blind else None
        reader.findings.raise_if_any(SetupError)
        blind = blind or as_one_file(job.scorer.blind(gold, job.options))
        units = _trial(job, gold, blind)
        found.append(TestSetPlan(name, title, gold, blind, units))
    if len({t.name for t in found}) < len(found):
        reader.wrong("test_sets", "names that differ")
    return tuple(found)


def _trial(job: Job, gold: Source, blind: Source) -> int:
    """Score gold against itself and the blind file, as a submission would be.

    Returns the number of units; what is wrong with the gold is found here.
    """
    scorer, options = job.scorer, job.options
    answers = scorer.read_gold(gold, options)
    try:
        published = scorer.read_blind(blind, options)
        scorer.read_system(gold, options, published)
        perfect = scorer.read_system(gold, options, answers)
        return len(count(scorer, (answers, perfect), options, job.unit).units)
    except (Refused, UsageError) as refusal:
        raise SetupError(refusal.problems) from None


def _phases(
    reader: Reader, table: dict[str, Any], known: tuple[str, ...]
) -> tuple[PhasePlan, ...]:
    found = []
    for entry in reader.value(table, "phases", list):
        opens = reader.moment(entry, "opens", required=True)
        closes = reader.moment(entry, "closes", required=False)
        chosen = tuple(reader.value(entry, "test_sets", list, list(known)))
        if not set(chosen) <= set(known) or not chosen:
            reader.wrong("test_sets", f"names out of {', '.join(known)}")
        if opens and closes and closes <= opens:
            reader.wrong("closes", "a time after 'opens'")
        name = reader.value(entry, "name", str)
        title = reader.value(entry, "title", str, name or "-")
        limit = entry.get("daily_limit") if isinstance(entry, dict) else None
        if limit is not None and (not isinstance(limit, int) or limit < 1):
            reader.wrong("daily_limit", "a whole number of 1 or more")
        assert opens is not None
        found.append(PhasePlan(name, title, opens, closes, chosen, limit))
    if len({phase.name for phase in found}) < len(found):
        reader.wrong("phases", "names that differ")
    return tuple(found)
