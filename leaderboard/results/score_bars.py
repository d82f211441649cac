"""Bars of scores: intervals on a common axis, places in per cent of its width."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from statistics import median, quantiles
from typing import Any

from leaderboard.results.scores import Ends, Score
from leaderboard.results.status import SubmissionStatus
from leaderboard.web.templatetags.formats import figures

# Marks at either end must not be cut off.
INSET = 2.0
FEWEST_FOR_OUTLIERS, FAR = 5, 3.0


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
    def around(cls, scores: Iterable[Ends]) -> "Axis | None":
        """The narrowest axis with round ends; None if there is nothing to show."""
        ends = list(chain.from_iterable(map(_finite_ends, scores)))
        if not ends:
            return None
        # At most a quarter of the span, and round: 1, 2 or 5 times ten to n.
        span = max(ends) - min(ends)
        ten = 10.0 ** math.floor(math.log10(span)) if span > 0 else 0.0
        steps = [f * ten for f in (2.0, 1.0, 0.5, 0.2) if f * ten <= span / 4]
        step = steps[0] if span > 0 else 1.0
        # Rounded first: 83.01 is a little less than 16602 times 0.005.
        low = math.floor(round(min(ends) / step, 6))
        high = math.ceil(round(max(ends) / step, 6))
        return cls(low * step, max(high, low + 1) * step)

    def bar(self, score: Ends) -> Bar | None:
        """The bar of a score; an interval that is missing has no width."""
        value, ends = score[0], _finite_ends(score)
        if value is None:
            return None
        start, end = self._place(min(ends)), self._place(max(ends))
        return Bar(
            f"{start:.2f}%",
            f"{end - start:.2f}%",
            f"{self._place(value):.2f}%",
            value < self.low,
            value > self.high,
        )

    def at(self, number: float) -> str:
        """The place of a number, for an attribute of SVG."""
        return f"{self._place(number):.2f}%"

    def _place(self, number: float) -> float:
        share = (number - self.low) / (self.high - self.low)
        return INSET + (100 - 2 * INSET) * min(max(share, 0.0), 1.0)

    @property
    def ends(self) -> tuple[str, str]:
        """Both ends as they are printed above the bars."""
        return figures(f"{self.low:g}"), figures(f"{self.high:g}")


def _finite_ends(score: Ends) -> list[float]:
    value, low, high = score
    if value is None:
        return []
    return [value] if low is None or high is None else [value, low, high]


def without_outliers(scores: Iterable[Ends]) -> list[Ends]:
    """The scores within three times the interquartile range of the quartiles.

    One far off would leave the others no room on their axis; it gets an arrow at its
    edge. Of fewer than five all stay.
    """
    known: list[Any] = [ends for ends in scores if ends[0] is not None]
    if len(known) < FEWEST_FOR_OUTLIERS:
        return known
    lower, _middle, upper = quantiles([ends[0] for ends in known], method="inclusive")
    # Equal scores have a range of 0, but nothing inside their intervals is far off.
    width = median(max(ends[1:]) - min(ends[1:]) for ends in map(_whole, known))
    reach = FAR * max(upper - lower, width)
    return [ends for ends in known if lower - reach <= ends[0] <= upper + reach]


def _whole(ends: Ends) -> tuple[float, float, float]:
    value, low, high = ends
    if value is None or low is None or high is None:
        return (value or 0.0,) * 3
    return value, low, high


@dataclass(frozen=True)
class MeasureLine:
    """One measure of a submission: overall, and by the titles of several test sets."""

    overall: Score
    bar: Bar | None
    parts: list[tuple[str, Score]]


@dataclass(frozen=True)
class MeasureTable:
    """The scores of one submission; `scale` holds the ends of the bars' axis."""

    scale: tuple[str, ...]
    lines: list[MeasureLine]


def measure_table(status: SubmissionStatus) -> MeasureTable:
    """Bars share one axis where all measures are shares of something."""
    shares = all(score.measure.percent for score in status.scores)
    axis = Axis.around(score.ends for score in status.scores) if shares else None
    lines = [
        MeasureLine(
            score,
            axis.bar(score.ends) if axis else None,
            [(part.title, part.scores[position]) for part in status.several],
        )
        for position, score in enumerate(status.scores)
    ]
    return MeasureTable(axis.ends if axis else (), lines)
