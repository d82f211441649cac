"""The set-up check of one test set, a job of the sandbox."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from scoring import Counts, Plan, Refused
from scoring.engine import Job, count_file, summarise
from scoring.errors import UsageError
from scoring.examples import CannotSpoil, spoil_some
from scoring.gold_check import remarks_on_gold, units_of
from scoring.measures import Measure
from scoring.sandbox.codec import Request, Values, problem_rows
from scoring.source import Source
from scoring.statistics.exchange import all_pairs
from scoring.statistics.groups import (
    by_group,
    coarser,
    design_effects,
    grouping_to_exchange,
    largest,
    typical,
)
from scoring.statistics.power import separation
from scoring.statistics.ranks import standings
from scoring.statistics.runs import value_of

GOLD, NOISY = "gold", "noisy"
SHARE = 0.1
SEEDS = (1, 2)
PLANNED = 10  # systems on the board that the resolution is told for


def setup_check(request: Request) -> tuple[Values, Sequence[bytes]]:
    """`rows` by system, `empty`, `seconds`, `units`, `separation`, and `remarks` on the
    gold.

    The first pair is blind file and gold, every other one the gold and a baseline;
    `names` are what the baselines are called.
    """
    scorer, options, pairs = request.unpack()
    head = request.values
    job = Job(scorer, options, head["unit"], Plan(**head["plan"]))
    return _answer(job, head, pairs), []


def _answer(
    job: Job, head: Mapping[str, Any], pairs: list[tuple[Source, Source]]
) -> dict[str, Any]:
    blind, gold = pairs[0]
    units = units_of(job, gold, blind)
    answers = job.scorer.read_gold(gold, job.options)
    begun = time.perf_counter()
    ideal = job.scorer.perfect(gold, job.options)
    counts = {GOLD: count_file(job, answers, ideal)}
    shown = {GOLD: _measures(job, head, counts[GOLD])}
    seconds = time.perf_counter() - begun
    copies = list(_copies(job, gold))
    baselines = dict(zip(head["names"], (sent for _, sent in pairs[1:]), strict=True))
    if job.scorer.counted_elsewhere:  # nobody has counted them yet
        baselines = {}
    noisy = {NOISY: copies[0]} if copies else {}
    for name, source in {**noisy, **baselines}.items():
        counts[name] = count_file(job, answers, source)
        shown[name] = _measures(job, head, counts[name])
    pilots = [count_file(job, answers, copy) for copy in copies]
    measure = job.scorer.measure(head["headline"], counts[GOLD].columns)
    return {
        "units": units,
        "seconds": seconds,
        "remarks": remarks_on_gold(job, gold),
        "rows": [
            {"name": name, "measures": shown[name], **standing}
            for name, standing in _standings(job, counts, measure).items()
        ],
        "informative": int(
            measure.informed(counts[GOLD].table, counts[GOLD].columns).sum()
        ),
        "design": _design(job, answers, measure, counts),
        "empty": _empty(job, answers, measure),
        "separation": _separation(job, pilots, measure),
    }


def _design(
    job: Job, answers: Any, measure: Measure, counts: Mapping[str, Counts]
) -> Sequence[Any] | None:
    """The grouping whose units are alike, and how much; of the baselines if there are.

    Mistakes of a spoiled copy are made at random: they show unequal sizes alone.
    """
    unit = job.unit or job.scorer.unit_of(answers)
    groups = coarser(job.scorer.units, unit)
    sent = [system for name, system in counts.items() if name not in (GOLD, NOISY)]
    effects = (
        design_effects(system, measure, groups) for system in sent or counts.values()
    )
    return largest(typical(effects))


def _copies(job: Job, gold: Source) -> Sequence[Source]:
    try:
        return [
            spoil_some(job.scorer, gold, job.options, SHARE, seed) for seed in SEEDS
        ]
    except CannotSpoil:
        return []


def _measures(job: Job, head: Mapping[str, Any], counts: Counts) -> dict[str, Any]:
    """Estimates of the measures shown, None for one that it has no counts of."""
    result = summarise(job.scorer, counts, job.options, job.unit, job.plan)
    values = {name: e.as_dict() for name, e in result.measures.items()}
    return {name: values.get(name) for name in head["measures"]}


def _standings(
    job: Job, counts: Mapping[str, Counts], measure: Measure
) -> dict[str, dict[str, Any]]:
    rows = [[system] for system in counts.values()]
    group = grouping_to_exchange(rows, measure, coarser(job.scorer.units, job.unit))
    pairs = all_pairs(by_group(rows, measure, group), measure)
    ranks = standings(pairs, measure.higher_is_better, job.plan.level)
    standing = {
        name: {"rank": rank.rank, "range": rank.range}
        for name, rank in zip(counts, ranks, strict=True)
    }
    last = len(standing) + 1
    return dict(sorted(standing.items(), key=lambda row: row[1]["rank"] or last))


def _empty(job: Job, answers: Any, measure: Measure) -> dict[str, Any]:
    """The problems with which an empty file is refused, or its score."""
    try:
        counts = count_file(job, answers, Source.of_bytes("empty", b""))
    except Refused as refusal:
        return {"problems": problem_rows(refusal.problems)}
    value = value_of(counts, measure)
    return {"value": None if value != value else value}


def _separation(
    job: Job, pilots: Sequence[Counts], measure: Measure
) -> dict[str, Any] | None:
    """The separation of two copies of the gold with different mistakes.

    None where they tell nothing: every score undefined, or every unit equally wrong.
    """
    try:
        named = {str(i): counts for i, counts in enumerate(pilots)}
        groups = coarser(job.scorer.units, job.unit)
        separated = separation(named, measure, job.plan, systems=PLANNED, groups=groups)
    except UsageError:
        return None
    if not separated.smallest:
        return None
    return {
        "smallest": separated.smallest,
        "power": separated.power,
        "systems": separated.systems,
    }
