"""Ranks with ties: "1, 2, 2, 4", undefined last (DESIGN, "Ranks")."""

from collections.abc import Sequence

import numpy as np

from scoring.counts import Floats, Integers
from scoring.estimates import TIE


def ranks(values: Floats, higher_is_better: bool = True) -> Integers:
    """Competition ranks along the last axis; nan shares the rank after all numbers.

    `values` (..., systems); the rank is one more than the number of better systems.
    Means of fractions that are equal may differ in their last digit (0.1 + 0.2 and
    0.3): such values tie, as they do in the tests of pairs.
    """
    signed = -values if higher_is_better else values
    order = np.argsort(signed, axis=-1)
    ordered = np.take_along_axis(signed, order, axis=-1)
    before, after = ordered[..., :-1], ordered[..., 1:]
    tied = after - before <= TIE * np.abs(before)
    fresh = ~tied & ~(np.isnan(before) & np.isnan(after))
    places = np.zeros(ordered.shape, dtype=np.int64)
    places[..., 1:] = np.where(fresh, np.arange(1, ordered.shape[-1]), 0)
    found = np.empty_like(places)
    np.put_along_axis(found, order, np.maximum.accumulate(places, axis=-1), axis=-1)
    return found + 1


def rank_of(values: Sequence[float | None], higher_is_better: bool) -> list[int | None]:
    """Ranks of a board's column; None (n/a) is not ranked."""
    numbers = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    if not len(numbers):
        return []
    found = ranks(numbers, higher_is_better).tolist()
    return [None if v is None else r for v, r in zip(values, found, strict=True)]


def rank_ranges(
    resampled: Floats, higher_is_better: bool = True, level: float = 0.95
) -> tuple[Integers, Integers]:
    """What a system's rank is in `level` of the resamples: low, high, each (systems,).

    `resampled` (resamples, systems) is over shared draws. Bounds are ranks that occur,
    rounded outwards. Resamples in which a system is undefined are left out for it;
    one that never is defined keeps the last rank.
    """
    placed = ranks(resampled, higher_is_better)
    defined = ~np.isnan(resampled)
    defined[:, ~defined.any(axis=0)] = True
    beyond = resampled.shape[1] + 1
    ordered = np.sort(np.where(defined, placed, beyond), axis=0)
    last = defined.sum(axis=0) - 1
    tail = (1 - level) / 2
    systems = np.arange(resampled.shape[1])
    low = ordered[np.floor(tail * last).astype(np.int64), systems]
    high = ordered[np.ceil((1 - tail) * last).astype(np.int64), systems]
    return low, high


def runs(numbers: Sequence[int]) -> str:
    """Ascending numbers in short: "2-4", "1, 3-5"."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(
        str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts
    )
