"""Intervals as bars: places on a common axis, in per cent of its width."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from leaderboard.submissions.scores import Score, Shown

# Marks at either end must not be cut off.
INSET = 2.0


@dataclass(frozen=True)
class Bar:
    """Attributes of an SVG bar: where its interval starts, how wide, and its point.

    `below` and `above` say that the score lies beyond an end of the axis.
    """

    start: str
    width: str
    point: str
    below: bool
    above: bool

    @property
    def beyond(self) -> bool:
        return self.below or self.above


@dataclass(frozen=True)
class Axis:
    """A scale with round ends around intervals."""

    low: float
    high: float

    @classmethod
    def around(cls, scores: Iterable[Score | Shown]) -> "Axis | None":
        """The narrowest axis with round ends; None if there is nothing to show."""
        ends = list(chain.from_iterable(map(_ends, scores)))
        if not ends:
            return None
        step = _step(max(ends) - min(ends))
        # Rounded first: 83.01 is a little less than 16602 times 0.005.
        low = math.floor(round(min(ends) / step, 6))
        high = math.ceil(round(max(ends) / step, 6))
        return cls(low * step, max(high, low + 1) * step)

    def bar(self, score: Score) -> Bar | None:
        """The bar of a score; an interval that is missing has no width."""
        ends = _ends(score)
        if score.value is None:
            return None
        start, end = self._place(min(ends)), self._place(max(ends))
        below, above = score.value < self.low, score.value > self.high
        point = self._place(score.value)
        return Bar(
            _percent(start), _percent(end - start), _percent(point), below, above
        )

    def _place(self, number: float) -> float:
        share = (number - self.low) / (self.high - self.low)
        return INSET + (100 - 2 * INSET) * min(max(share, 0.0), 1.0)

    @property
    def ends(self) -> tuple[str, str]:
        """Both ends as they are printed above the bars."""
        return f"{self.low:g}", f"{self.high:g}"


def _ends(score: Score | Shown) -> list[float]:
    value, low, high = score.value, score.low, score.high
    if value is None:
        return []
    return [value] if low is None or high is None else [value, low, high]


def _step(span: float) -> float:
    """At most a quarter of the span, and round: 1, 2 or 5 times ten to n."""
    if span <= 0:
        return 1.0
    ten = 10.0 ** math.floor(math.log10(span))
    return next(f * ten for f in (2.0, 1.0, 0.5, 0.2) if f * ten <= span / 4)


def _percent(number: float) -> str:
    return f"{number:.2f}%"
