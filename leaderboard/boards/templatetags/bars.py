"""Intervals as bars: places on a common axis, in per cent of its width."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.submissions.status import Score

# Circles at either end must not be cut off.
INSET = 3.0


@dataclass(frozen=True)
class Bar:
    """Attributes of an SVG bar: where its interval starts, how wide, and its point."""

    start: str
    width: str
    point: str


@dataclass(frozen=True)
class Axis:
    """A scale with round ends around all intervals."""

    low: float
    high: float

    @classmethod
    def around(cls, scores: Iterable[Score]) -> "Axis | None":
        """The narrowest axis with round ends; None if there is nothing to show."""
        ends = [end for score in scores for end in _ends(score)]
        if not ends:
            return None
        low, high = min(ends), max(ends)
        step = 10.0 ** math.floor(math.log10(high - low)) if high > low else 1.0
        low, high = math.floor(low / step) * step, math.ceil(high / step) * step
        return cls(low, high if high > low else low + step)

    def bar(self, score: Score) -> Bar | None:
        """The bar of a score; an interval that is missing has no width."""
        if score.value is None:
            return None
        start, end = self._place(min(_ends(score))), self._place(max(_ends(score)))
        return Bar(
            _percent(start), _percent(end - start), _percent(self._place(score.value))
        )

    def _place(self, number: float) -> float:
        share = (number - self.low) / (self.high - self.low)
        return INSET + (100 - 2 * INSET) * share

    @property
    def ends(self) -> tuple[str, str]:
        """Both ends as they are printed above the bars."""
        return f"{self.low:g}", f"{self.high:g}"


def _ends(score: Score) -> list[float]:
    known = (score.value, score.low, score.high)
    return [] if score.value is None else [end for end in known if end is not None]


def _percent(number: float) -> str:
    return f"{number:.2f}%"
