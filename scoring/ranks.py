"""Ranks with ties: "1, 2, 2, 4", undefined last (DESIGN, "Ranks")."""

from collections.abc import Sequence

import numpy as np

from scoring.counts import Floats, Integers


def ranks(values: Floats, higher_is_better: bool = True) -> Integers:
    """Competition ranks along the last axis; nan shares the rank after all numbers.

    `values` (..., systems); the rank is one more than the number of better systems.
    """
    signed = np.where(np.isnan(values), -np.inf, values if higher_is_better else -values)
    ordered = np.sort(signed, axis=-1)
    size = signed.shape[-1]
    if signed.ndim == 1:
        return size - np.searchsorted(ordered, signed, side="right") + 1
    better = signed[..., None, :] > signed[..., :, None]
    return np.asarray(better.sum(axis=-1) + 1, dtype=np.int64)


def rank_of(values: Sequence[float | None], higher_is_better: bool) -> list[int | None]:
    """Ranks of a board's column; None (n/a) is not ranked."""
    numbers = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    if not len(numbers):
        return []
    found = ranks(numbers, higher_is_better).tolist()
    return [None if v is None else r for v, r in zip(values, found, strict=True)]
