"""Weights of characters: how probable, or how grave, people and systems hold what is
written there; as the soft labels of Mu-SHROOM (SemEval-2025 task 3)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Flags, Floats, Integers, fixed_point
from scoring.measures import Measure, ratio
from scoring.messages import _

CORRELATION, TEXTS = "correlation[weights]", "texts[weights]"
DECIMALS = 8


@dataclass(frozen=True)
class Weights:
    """Stretches of text (n,) with a weight each, which may overlap."""

    starts: Integers
    ends: Integers
    values: Floats

    def __len__(self) -> int:
        return len(self.starts)

    @classmethod
    def of_texts(cls, parts: Sequence["Weights"], bases: Integers) -> "Weights":
        """The weights of all texts, which begin at `bases` (texts,)."""
        starts = [part.starts + base for part, base in zip(parts, bases, strict=True)]
        ends = [part.ends + base for part, base in zip(parts, bases, strict=True)]
        return cls(
            np.concatenate(starts),
            np.concatenate(ends),
            np.concatenate([part.values for part in parts]),
        )

    def over(self, edges: Integers) -> Floats:
        """The weight of the characters between neighbouring edges (m,), which all of
        these are; the largest of those that overlap, 0 without any."""
        low, high = (np.searchsorted(edges, side) for side in (self.starts, self.ends))
        sizes = high - low
        place = np.arange(sizes.sum()) - np.repeat(
            np.cumsum(sizes) - sizes - low, sizes
        )
        values = np.zeros(len(edges) - 1)
        np.maximum.at(values, place, np.repeat(self.values, sizes))
        return values


NOTHING = Weights(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


def counts(
    gold: Weights, system: Weights, bases: Integers, sizes: Integers
) -> dict[str, Floats]:
    """Columns (texts,) of the correlation of both sides over the characters of each
    text, which begins at `bases` and has `sizes` characters."""
    sides = (gold.starts, gold.ends, system.starts, system.ends)
    edges = np.unique(np.concatenate((bases, bases + sizes, *sides)))
    text = np.searchsorted(bases, edges[:-1], side="right") - 1
    lengths = np.diff(edges)
    inside = edges[:-1] < (bases + sizes)[text]
    text, lengths = text[inside], lengths[inside]
    own, other = (side.over(edges)[inside] for side in (gold, system))
    values = _correlations(own, other, text, lengths, len(bases))
    return {**fixed_point(CORRELATION, values), TEXTS: np.ones(len(bases))}


def _correlations(
    own: Floats, other: Floats, text: Integers, lengths: Integers, size: int
) -> Floats:
    """Spearman's of each text (size,); where a side is the same throughout, 1 if both
    are, else 0."""

    def sums(values: Floats) -> Floats:
        return np.asarray(np.bincount(text, lengths * values, minlength=size), float)

    def from_mean(values: Floats) -> Floats:
        ranks = _ranks(values, text, lengths, size)
        means = ratio(sums(ranks), sums(np.ones(len(text))))
        return np.asarray(ranks - means[text])

    flat = [_same_throughout(side, text, size) for side in (own, other)]
    first, second = from_mean(own), from_mean(other)
    both = np.sqrt(sums(first * first) * sums(second * second))
    rho = np.clip(np.nan_to_num(ratio(sums(first * second), both)), -1, 1)
    return np.where(flat[0] | flat[1], flat[0] & flat[1], rho)


def _ranks(values: Floats, text: Integers, lengths: Integers, size: int) -> Floats:
    """The mean rank, within its text, of the characters of each stretch."""
    order = np.lexsort((values, text))
    rows = np.stack((text[order], values[order]))
    fresh = np.any(np.diff(rows, axis=1, prepend=-1) != 0, axis=0)
    tie = np.cumsum(fresh) - 1
    tied = np.bincount(tie, lengths[order])
    before = np.cumsum(tied) - tied
    of_text = np.bincount(text, lengths, minlength=size)
    begins = (np.cumsum(of_text) - of_text)[text[order][fresh]]
    ranks = np.zeros(len(values))
    ranks[order] = (before - begins + (tied + 1) / 2)[tie]
    return ranks


def _same_throughout(values: Floats, text: Integers, size: int) -> Flags:
    rounded = np.round(values, DECIMALS)
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, text, rounded)
    np.maximum.at(high, text, rounded)
    return np.asarray(low >= high)


MEASURES = (
    Measure(
        "correlation",
        "Correlation",
        (CORRELATION, TEXTS),
        ratio,
        _(
            "mean over texts of Spearman's correlation of the weights of characters; "
            "where a side is the same throughout, 1 if both are, else 0 (option "
            "weights)"
        ),
        percent=False,
        bounds=(-1.0, 1.0),
    ),
)
