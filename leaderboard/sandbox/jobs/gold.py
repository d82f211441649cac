"""Jobs on gold: the trial of uploaded gold, and the comparison of corrected gold."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring import Counts, Problem, Refused
from scoring.engine import Job, count_file
from scoring.errors import ScoringError, SetupError
from scoring.formats.bundle import as_one_file
from scoring.gold_check import blind_of, read_gold, require_fit, unit_of, units_of
from scoring.messages import Messages, _
from scoring.sandbox.codec import Request, Values, text_of
from scoring.scorers.classes.counts import GRADE
from scoring.scorers.classes.items import MOST_LABELS
from scoring.source import Source
from scoring.statistics.runs import value_of

MESSAGES = Messages(
    not_perfect=_("scored against itself this gold gets %(measure)s %(score)s"),
    perfect_before=_(
        "The gold it replaces gets %(score)s: something in it is contradictory."
    ),
)

MOST_NAMED = 200  # units; the rest is a number
SLACK = 1e-12  # of scores that are equal but for the order of a division


def trial(request: Request) -> tuple[Values, Sequence[bytes]]:
    """`units`, `unit`, `name` and `labels`; then the blind file.

    The one pair is blind file and gold, or the gold twice: then one is made of it.
    """
    scorer, options, ((first, gold),) = request.unpack()
    job = Job(scorer, options, request.values["unit"])
    blind = first if request.values["own"] else as_one_file(blind_of(job, gold))
    unit = unit_of(job, gold)
    units = units_of(replace(job, unit=unit), gold, blind)
    labels = declarable(job, gold)
    told = {"units": units, "unit": unit, "name": blind.name, "labels": labels}
    return told, [blind.single()]


def declarable(job: Job, gold: Source) -> list[str]:
    """The labels of the gold as a task would declare them; none where its scorer has
    no such list, or the list would say more than the gold. Of grades those between the
    lowest and the highest are labels, too."""
    options = job.options
    if "labels" not in options or options["labels"] != () or options.get("many"):
        return []
    read = job.scorer.read_gold(gold, options)
    names = sorted(job.scorer.labels(read, options).get("", ()))
    if names and all(map(GRADE.fullmatch, names)):
        grades = sorted(map(int, names))
        names = [*map(str, range(grades[0], grades[-1] + 1))]
    return names if len(names) <= MOST_LABELS else []


@dataclass(frozen=True)
class Sides:
    """Gold of one test set before and after, and how it is scored."""

    job: Job
    headline: str
    blind: Source
    old: Source
    new: Source


def correction(request: Request) -> tuple[Values, Sequence[bytes]]:
    """`units`, `changed` and `named`. The pairs are blind and new, blind and old."""
    scorer, options, ((blind, new), (_, old)) = request.unpack()
    job = Job(scorer, options, request.values["unit"])
    sides = Sides(job, request.values["headline"], blind, old, new)
    try:
        return _compare_sides(sides), []
    except ScoringError as error:
        placed = (
            problem if problem.file else replace(problem, file=new.name)
            for problem in error.problems
        )
        raise SetupError(placed) from None


def _compare_sides(sides: Sides) -> dict[str, Any]:
    """Raises ScoringError for gold that cannot be used."""
    scorer, options = sides.job.scorer, sides.job.options
    if scorer.runs_program:  # only scoring anew tells what changes
        units = units_of(sides.job, sides.new, sides.blind)
        return {"units": units, "changed": 0, "named": []}
    after = read_gold(sides.job, sides.new)
    new, old = (scorer.perfect(gold, options) for gold in (sides.new, sides.old))
    require_fit(sides.job, sides.blind, new)
    perfect = count_file(sides.job, after, new)
    before = scorer.read_gold(sides.old, options)
    was_perfect = count_file(sides.job, before, old)
    _require_as_good(sides, perfect, was_perfect)
    changed = dict.fromkeys(_changed_units(was_perfect, perfect))
    # Both ways: what one gold adds and the other lacks shows in one of them only.
    changed |= dict.fromkeys(_units_changed_by(sides, was_perfect, before, new))
    changed |= dict.fromkeys(_units_changed_by(sides, perfect, after, old))
    return {
        "units": len(perfect.units),
        "changed": len(changed),
        "named": [text_of(name) for name in list(changed)[:MOST_NAMED]],
    }


def _require_as_good(sides: Sides, perfect: Counts, was_perfect: Counts) -> None:
    """Gold scored against itself must get what the old one got. Raises Refused."""
    measure = sides.job.scorer.measure(sides.headline)
    now, was = (value_of(counts, measure) for counts in (perfect, was_perfect))
    worse = now < was - SLACK if measure.higher_is_better else now > was + SLACK
    if worse or (now != now and was == was):
        message = MESSAGES("not_perfect", measure=measure.title, score=f"{now:.4f}")
        hint = MESSAGES("perfect_before", score=f"{was:.4f}")
        raise Refused(Problem("not_perfect", message, sides.new.name, hint=hint))


def _units_changed_by(
    sides: Sides, perfect: Counts, gold: Any, other: Source
) -> Iterator[str]:
    """Units where the other file, taken as a system's, is no longer perfect.

    All of them where it cannot even be read as one.
    """
    try:
        yield from _changed_units(perfect, count_file(sides.job, gold, other))
    except Refused:
        yield from perfect.units


def _changed_units(one: Counts, other: Counts) -> Iterator[str]:
    known, new = _rows(one), _rows(other)
    for unit in dict.fromkeys((*one.units, *other.units)):
        if known.get(unit) != new.get(unit):
            yield unit


def _rows(counts: Counts) -> Mapping[str, tuple[object, ...]]:
    """Per unit what is not zero, by column name, and its labels; of a coarser unit
    the same of each of its rows."""
    if counts.finer is not None:
        members: dict[str, list[object]] = {}
        finest = _rows(counts.finer.counts)
        for unit, row in zip(counts.finer.unit_of, finest.items(), strict=True):
            members.setdefault(unit, []).append(row)
        return {unit: (frozenset(own),) for unit, own in members.items()}
    labels = [counts.groups[group] for group in sorted(counts.groups)]
    rows = {}
    for place, unit in enumerate(counts.units):
        row = counts.table[place]
        cells = frozenset((counts.columns[i], row[i]) for i in row.nonzero()[0])
        rows[unit] = (cells, *(group[place] for group in labels))
    return rows
