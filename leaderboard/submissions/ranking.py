"""Counts of a whole board to standings: ranks, rank ranges, clusters; and slices."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TypeVar

import numpy as np

from leaderboard.submissions import stored
from leaderboard.submissions.splitting import Split
from leaderboard.submissions.stored import (
    MEGABYTE,
    NOTHING,
    Key,
    Packed,
    Recent,
    Scored,
)
from leaderboard.tasks.models import Phase, TestSet
from scoring import Counts, Plan
from scoring.compare import Comparison, compare_means
from scoring.counts import Floats
from scoring.estimates import quantiles
from scoring.measures import Measure
from scoring.power import Separation, mean_separation
from scoring.samples import Sample, mean_samples_of
from scoring.standings import Standing, standings

# Pairs grow with the square: beyond this many systems no clusters are drawn.
MOST_COMPARED = 100
# Enough for the lexelts of a lexical sample; more would be no list to choose from.
MOST_LABELS = 250
BOARDS_KEPT = 256
MOST_RECOUNTED = 24 * MEGABYTE

Answer = TypeVar("Answer")
Asked = TypeVar("Asked", bound="Kept")

_standings: Recent[list[Standing]] = Recent(BOARDS_KEPT)
_numbers: Recent[Floats] = Recent(MOST_RECOUNTED, lambda found: int(found.nbytes))


@dataclass(frozen=True)
class Slice:
    """The units with one label of one grouping, as in genre:letter."""

    group: str
    label: str

    def of(self, column: Sequence[Counts | None]) -> list[Counts | None]:
        """Systems of one test set on those units only, groupings left behind.

        The gold says which units those are, so one system's labels are everybody's;
        none where they do not know the grouping.
        """
        known = next((counts for counts in column if counts is not None), None)
        if known is None:
            return list(column)
        labels = known.groups.get(self.group, ())
        index = np.array([i for i, one in enumerate(labels) if one == self.label], int)
        units = tuple(known.units[i] for i in index)
        return [c and Counts(units, c.columns, c.table[index]) for c in column]

    def __str__(self) -> str:
        return f"{self.group}:{self.label}"


@dataclass(frozen=True)
class Field:
    """The systems of a board on some of its test sets, perhaps on some units only.

    The units are those of the split's part, and of them those of the slice.
    `some_test_sets` says of several that the phase has more.
    """

    phase: Phase
    test_sets: tuple[TestSet, ...]
    evaluations: tuple[Scored, ...]
    slice: Slice | None = None
    split: Split | None = None
    some_test_sets: bool = False

    @property
    def key(self) -> Key:
        """All that answers depend on; the same key always means the same."""
        task = self.phase.task
        sets = tuple(t.pk for t in self.test_sets)
        systems = tuple(stored.key_of(e, 0) for e in self.evaluations)
        plan = (task.resamples, task.seed, task.level, task.scorer_name)
        return (sets, systems, plan, str(self.slice), self.split)

    @property
    def whole(self) -> bool:
        """All units count, as in what is stored with the evaluations."""
        return not (self.slice or self.split or self.some_test_sets)

    def samples(self, measures: Sequence[Measure]) -> list[Sample]:
        return mean_samples_of(self.strata, measures)

    @cached_property
    def strata(self) -> list[list[tuple[Counts, Plan] | None]]:
        """For each system its counts per test set with the plan, None if not sent.

        A test set that has no unit of the slice says nothing about it: the mean is
        that of the others.
        """
        plans = [self.phase.task.plan(t.position) for t in self.test_sets]
        both = list(zip(self.counts, plans, strict=True))
        planned = [
            [None if counts is None else (counts, plan) for counts in column]
            for column, plan in [pair for pair in both if _has_units(pair[0])] or both
        ]
        return [list(row) for row in zip(*planned, strict=True)]

    @cached_property
    def counts(self) -> list[list[Counts | None]]:
        """For each test set the counts of its systems on the units that count."""
        rows = stored.counts_of(self.evaluations, self.test_sets)
        columns = [[row[i] for row in rows] for i in range(len(self.test_sets))]
        if self.split is not None:
            pairs = zip(self.test_sets, columns, strict=True)
            columns = [self.split.cut(t, column) for t, column in pairs]
        if self.slice is not None:
            columns = [self.slice.of(column) for column in columns]
        return columns

    def comparisons(self, measure: Measure) -> list[Comparison]:
        """Every pair, paired over the shared resamples; named by submission."""
        return compare_means(self._by_submission(), measure)

    def separation(self, measure: Measure) -> Separation:
        """The smallest difference that these systems show to be separable.

        Raises UsageError where no pair has the measure defined.
        """
        return mean_separation(self._by_submission(), measure)

    def _by_submission(self) -> dict[str, list[tuple[Counts, Plan] | None]]:
        names = [str(e.submission_id) for e in self.evaluations]
        return dict(zip(names, self.strata, strict=True))


def _has_units(column: Sequence[Counts | None]) -> bool:
    """Of one test set; as long as nobody sent it, nobody knows."""
    known = [counts for counts in column if counts is not None]
    return not known or any(counts.units for counts in known)


class Kept:
    """A field that is told apart by all that it depends on, of which a digest is kept.

    What is kept is the answer: the field, with all its counts, is taken out once.
    `besides` is whatever else the answer depends on.
    """

    def __init__(
        self, field: Field, measures: Sequence[Measure] = (), besides: object = ()
    ) -> None:
        self._field: Field | None = field
        self.measures = measures
        said = repr((field.key, [measure.name for measure in measures], besides))
        self.key: Key = (blake2b(said.encode(), digest_size=20).digest(),)

    def take(self) -> Field:
        field, self._field = self._field, None
        assert field is not None
        return field


def answer(
    kept: Asked, known: Recent[Answer], work_out: Callable[[Asked], Answer]
) -> Answer:
    """What is known, or is worked out and remembered."""
    found = known.recall([kept.key])
    if not found:
        found[kept.key] = work_out(kept)
        known.remember(kept.key, found[kept.key])
    return found[kept.key]


def standings_of(field: Field, measure: Measure) -> list[Standing]:
    """A standing per evaluation, kept for the next reader."""
    if not field.evaluations or len(field.evaluations) > MOST_COMPARED:
        return [Standing()] * len(field.evaluations)
    return answer(Kept(field, (measure,)), _standings, _ranked)


def _ranked(kept: Kept) -> list[Standing]:
    field = kept.take()
    (measure,) = kept.measures
    (sample,) = field.samples(kept.measures)
    return standings(sample, measure.higher_is_better, field.phase.task.level)


def recounted(field: Field, measures: Sequence[Measure]) -> list[Packed]:
    """The numbers of each evaluation, anew from the counts.

    Numbers are value, low, high and stddev, the bootstrap's standard error: n/a for a
    system without a file for the only test set.
    """
    if not field.evaluations:
        return []
    found = answer(Kept(field, measures), _numbers, _recounted)
    places = stored.places_of(measure.name for measure in measures)
    return [Packed(places, array("d", row.tobytes())) for row in found]


def measured(field: Field, measures: Sequence[Measure]) -> list[Packed]:
    """Numbers by measure of each evaluation: stored ones, or of some units anew."""
    if not field.whole:
        return recounted(field, measures)
    found = _printed(field)
    # A board may show what was not printed when its systems were scored.
    of_each = {id(row.places): row.places for row in found if row.places}.values()
    new = [m for m in measures if any(m.name not in places for places in of_each)]
    if not new:
        return found
    pairs = zip(found, recounted(field, new), strict=True)
    return [stored.packed({**more, **row}) for row, more in pairs]


def _printed(field: Field) -> list[Packed]:
    found = stored.printed_of(field.evaluations)
    if len(field.test_sets) != 1:
        return [printed.overall for printed in found]
    name = field.test_sets[0].name
    return [printed.test_sets.get(name, NOTHING) for printed in found]


def _recounted(kept: Kept) -> Floats:
    """Shape (systems, 4 numbers of each measure)."""
    field = kept.take()
    level = field.phase.task.level
    found = [_intervals(sample, level) for sample in field.samples(kept.measures)]
    numbers = np.concatenate(found, axis=1)
    if len(field.test_sets) == 1:
        numbers[[counts is None for counts in field.counts[0]]] = np.nan
    return numbers


def _intervals(sample: Sample, level: float) -> Floats:
    """Shape (systems, 4), in the order of NUMBERS."""
    tail = (1 - level) / 2
    defined = (~np.isnan(sample.resampled)).sum(axis=1)
    ordered = np.sort(sample.resampled, axis=1)
    low, high = (quantiles(ordered, defined, share) for share in (tail, 1 - tail))
    low, high = (np.where(np.isnan(sample.values), np.nan, end) for end in (low, high))
    spread = spread_of(sample.resampled)
    return np.stack([sample.values, low, high, spread], axis=1)


def spread_of(resampled: Floats) -> Floats:
    """Standard deviation of each row's numbers; nan without any."""
    known = ~np.isnan(resampled)
    size = known.sum(axis=-1)
    divisor = np.maximum(size, 1)
    mean = np.where(known, resampled, 0.0).sum(axis=-1) / divisor
    off = np.where(known, resampled - mean[..., None], 0.0)
    return np.where(size > 0, np.sqrt((off * off).sum(axis=-1) / divisor), np.nan)


def slices_of(counts: Sequence[Counts | None]) -> Mapping[str, list[str]]:
    """Labels per grouping that the gold knows, groupings with too many left out."""
    found: dict[str, dict[str, None]] = {}
    for known in counts:
        for group, labels in known.groups.items() if known else ():
            named = dict.fromkeys(label for label in labels if label)
            found.setdefault(group, {}).update(named)
    return {
        group: sorted(labels)
        for group, labels in found.items()
        if 1 < len(labels) <= MOST_LABELS
    }
