"""The check of corrected gold, as a sandbox server runs it: no settings, no database.

Corrected gold is read like a first one and compared with what it replaces.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from leaderboard.sandbox.problems import storable, text_of
from leaderboard.submissions.packing import unpacked
from scoring import Counts, Problem, Refused
from scoring.engine import Job, count_file
from scoring.errors import ScoringError
from scoring.source import Source

WORK = "leaderboard.submissions.gold_check:examined"
MOST_NAMED = 200  # units; the rest is a number
SLACK = 1e-12  # of scores that are equal but for the order of a division


@dataclass(frozen=True)
class Sides:
    """Gold of one test set before and after, and how it is scored."""

    job: Job
    headline: str
    blind: Source
    old: Source
    new: Source


def examined(head: Mapping[str, Any], files: Sequence[bytes]) -> bytes:
    """Problems, or `units`, `changed` and `named`, as JSON.

    `head` is that of `Packed` with the pairs blind, new and blind, old,
    and has `unit` and `headline` besides.
    """
    sides = _sides(head, files)
    try:
        return json.dumps(_compared(sides)).encode()
    except ScoringError as error:
        placed = (
            problem if problem.file else replace(problem, file=sides.new.name)
            for problem in error.problems
        )
        shown = [storable(problem).as_dict() for problem in placed]
        return json.dumps({"problems": shown}).encode()


def _sides(head: Mapping[str, Any], files: Sequence[bytes]) -> Sides:
    scorer, options, ((blind, new), (_, old)) = unpacked(head, files)
    job = Job(scorer, options, head["unit"])
    return Sides(job, head["headline"], blind, old, new)


def _compared(sides: Sides) -> dict[str, Any]:
    """Raises ScoringError for gold that cannot be used."""
    scorer, options = sides.job.scorer, sides.job.options
    after = scorer.read_gold(sides.new, options)
    scorer.read_system(sides.new, options, scorer.read_blind(sides.blind, options))
    perfect = count_file(sides.job, after, sides.new)
    before = scorer.read_gold(sides.old, options)
    was_perfect = count_file(sides.job, before, sides.old)
    _require_as_good(sides, perfect, was_perfect)
    changed = dict.fromkeys(_changed(was_perfect, perfect))
    # Both ways: what one gold adds and the other lacks shows in one of them only.
    changed |= dict.fromkeys(_crossed(sides, was_perfect, before, sides.new))
    changed |= dict.fromkeys(_crossed(sides, perfect, after, sides.old))
    return {
        "units": len(perfect.units),
        "changed": len(changed),
        "named": [text_of(name) for name in list(changed)[:MOST_NAMED]],
    }


def _require_as_good(sides: Sides, perfect: Counts, was_perfect: Counts) -> None:
    """Gold scored against itself must get what the old one got. Raises Refused."""
    measure = sides.job.scorer.measure(sides.headline)
    now, was = (
        float(measure.of(counts.totals, counts.columns))
        for counts in (perfect, was_perfect)
    )
    worse = now < was - SLACK if measure.higher_is_better else now > was + SLACK
    if worse or (now != now and was == was):
        message = f"scored against itself this gold gets {measure.title} {now:.4f}"
        hint = f"The gold it replaces gets {was:.4f}: something in it is contradictory."
        raise Refused(Problem("not_perfect", message, sides.new.name, hint=hint))


def _crossed(sides: Sides, perfect: Counts, gold: Any, other: Source) -> Iterator[str]:
    """Units where the other file, taken as a system's, is no longer perfect.

    All of them where it cannot even be read as one.
    """
    try:
        yield from _changed(perfect, count_file(sides.job, gold, other))
    except Refused:
        yield from perfect.units


def _changed(one: Counts, other: Counts) -> Iterator[str]:
    known, found = _rows(one), _rows(other)
    for unit in dict.fromkeys((*one.units, *other.units)):
        if known.get(unit) != found.get(unit):
            yield unit


def _rows(counts: Counts) -> Mapping[str, tuple[object, ...]]:
    """Per unit what is not zero, by column name, and its labels."""
    labels = [counts.groups[group] for group in sorted(counts.groups)]
    rows = {}
    for place, unit in enumerate(counts.units):
        row = counts.table[place]
        cells = frozenset((counts.columns[i], row[i]) for i in row.nonzero()[0])
        rows[unit] = (cells, *(group[place] for group in labels))
    return rows
