"""Tag level: which spans match, which clash with the other side, which stand alone."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.scorers.spans.corpus import Extents, Spans

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Verdicts:
    """Per span of one side: in the other side too, or else overlapping it."""

    match: Flags
    clash: Flags

    @property
    def alone(self) -> Flags:
        """Missing, or spurious."""
        return ~(self.match | self.clash)


def verdicts(reference: Spans, system: Spans) -> tuple[Verdicts, Verdicts]:
    """Judge the spans of both sides, whose label codes agree.

    A clash is counted literally from each side, also where the span overlapped is
    matched by another one (SCORING.md, `spans`).
    """
    matched = _matched(reference, system)
    sides = ((reference, system), (system, reference))
    first, second = (
        Verdicts(match, ~match & (overlaps(one, other) > 0))
        for match, (one, other) in zip(matched, sides, strict=True)
    )
    return first, second


def _matched(reference: Spans, system: Spans) -> tuple[Flags, Flags]:
    """Each side holds a span once, so equal neighbours are of different sides."""
    rows = np.concatenate(
        [(s.start, s.end, s.label) for s in (reference, system)], axis=1
    )
    order = np.lexsort(rows[::-1])
    ordered = rows[:, order]
    twins = np.all(ordered[:, 1:] == ordered[:, :-1], axis=0)
    found = np.zeros(rows.shape[1], dtype=np.bool_)
    found[order[1:][twins]] = found[order[:-1][twins]] = True
    return found[: len(reference)], found[len(reference) :]


def overlaps(one: Extents, other: Extents) -> npt.NDArray[np.int64]:
    """How many pieces of `other` share a character with each of `one` (n,)."""
    begun = np.searchsorted(other.start, one.end, side="left")
    over = np.searchsorted(np.sort(other.end), one.start, side="right")
    return np.asarray(begun - over, dtype=np.int64)
