"""Slices of a system's units: scores with intervals, and how many errors lie there."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Flags, Integers
from scoring.inspection import Inspection, number_or_none
from scoring.measures import Measure
from scoring.statistics.bootstrap import Numbers, Plan, board_numbers
from scoring.statistics.runs import value_of

LEADING = re.compile(r"[0-9]{1,9}")
MOST_SLICES, MOST_SHOWN = 1000, 40
LENGTH, BANDS = "length", 5


@dataclass(frozen=True)
class UnitSlice:
    """A slice of the units: how many, and what the measure is there.

    `large` are the largest of each grouping, as many as a table has room for; only
    these have an interval, on which `informative_units` bear, which tell as much as
    `effective_units` of one size where they differ in that. `errors` is the number of
    wrong items, where they are known, and `lengths` the least and the greatest length
    of a band of lengths. `rest` is the measure on all units outside.
    """

    group: str
    label: str
    units: int
    value: float | None
    large: bool
    low: float | None = None
    high: float | None = None
    informative_units: int | None = None
    errors: int | None = None
    lengths: tuple[int, int] | None = None
    effective_units: float | None = None
    rest: float | None = None


def slices(
    counts: Counts,
    measure: Measure,
    plan: Plan | None = None,
    inspection: Inspection | None = None,
) -> list[UnitSlice]:
    """All units, with "" for grouping and label, then the slices of every grouping.

    Of each grouping these are the largest, in the order of their names. Bands of length
    are a grouping, too, where lengths are known and the gold has no such grouping.
    """
    errors = inspection.per_unit(inspection.any_wrong) if inspection else None
    of_units = _OfUnits(counts, measure, plan, errors)
    everything = np.ones(len(counts.units), dtype=np.bool_)
    parts = [of_units.slice("", "", everything, large=True)]
    for group, own in counts.groups.items():
        parts += of_units.group_slices(group, np.array(own))
    if inspection is not None and LENGTH not in counts.groups:
        parts += of_units.length_slices(inspection.sizes)
    return parts


@dataclass(frozen=True)
class _OfUnits:
    counts: Counts
    measure: Measure
    plan: Plan | None
    errors: Integers | None

    def group_slices(
        self, group: str, own: npt.NDArray[np.str_]
    ) -> Iterator[UnitSlice]:
        labels, sizes = np.unique(own, return_counts=True)
        units = dict(zip(labels.tolist(), sizes.tolist(), strict=True))
        largest = sorted(units, key=lambda label: (-units[label], label))[:MOST_SLICES]
        large = set(largest[:MOST_SHOWN])
        quick = self._values(group) if len(largest) > MOST_SHOWN else {}
        for label in sorted(largest, key=_natural):
            if label in large or label not in quick:
                yield self.slice(group, label, own == label, label in large)
            else:
                number = quick[label]
                yield UnitSlice(
                    group, label, units[label], number_or_none(number), False
                )

    def length_slices(self, sizes: Integers) -> Iterator[UnitSlice]:
        for low, high in bands(sizes):
            of_band = (sizes >= low) & (sizes <= high)
            label = str(low) if low == high else f"{low}-{high}"
            yield self.slice(LENGTH, label, of_band, True, (low, high))

    def slice(
        self,
        group: str,
        label: str,
        chosen: Flags,
        large: bool,
        lengths: tuple[int, int] | None = None,
    ) -> UnitSlice:
        counts = self.counts.where(chosen)
        low = high = bearing = effective = None
        if large and self.plan is not None:
            (numbers,) = board_numbers([[(counts, self.plan)]], [self.measure])
            interval = Numbers(*map(number_or_none, numbers[0].tolist()))
            value, low, high = interval[:3]
            bearing, effective = interval.informative_units, interval.effective_units
        else:
            value = number_or_none(value_of(counts, self.measure))
        return UnitSlice(
            group,
            label,
            len(counts.units),
            value,
            large,
            low,
            high,
            None if bearing is None else int(bearing),
            None if self.errors is None else int(self.errors[chosen].sum()),
            lengths,
            effective,
            self._rest(chosen) if large else None,
        )

    def _rest(self, chosen: Flags) -> float | None:
        """The measure on the other units; None where there are none."""
        if chosen.all():
            return None
        return number_or_none(value_of(self.counts.where(~chosen), self.measure))

    def _values(self, group: str) -> Mapping[str, float]:
        """The measure on each label's units; {} where it is no function of sums."""
        if self.measure.weighted is not None:
            return {}
        whole = self.counts.by(group)
        values = np.asarray(self.measure.of(whole.table, whole.columns))
        return dict(zip(whole.units, values.tolist(), strict=True))


def bands(sizes: Integers) -> Sequence[tuple[int, int]]:
    """Bands of lengths with about as many units each; none where all are alike."""
    if not len(sizes) or sizes.min() == sizes.max():
        return []
    shares = np.arange(1, BANDS + 1) / BANDS
    tops = np.unique(np.quantile(sizes, shares, method="inverted_cdf")).tolist()
    starts = [int(sizes.min()), *(top + 1 for top in tops[:-1])]
    return [(low, int(top)) for low, top in zip(starts, tops, strict=True)]


def _natural(label: str) -> tuple[int, str]:
    """Labels that begin with a number in its order, after all others."""
    digits = LEADING.match(label)
    return (int(digits[0]) if digits else -1, label)
