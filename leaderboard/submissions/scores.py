"""One number of one system with its interval, as it is shown to somebody."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from django.utils.translation import gettext_lazy as _

from scoring.intervals import FEW_UNITS
from scoring.measures import Measure

# Decimals of a value and of the ends of its interval where nothing is rounded
PERCENT, PLAIN = (2, 1), (3, 3)
# Sizes of grids, times a power of ten
ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
# What is less than this share of a step apart is the same place on the grid.
SLACK = 1e-9


ABSENT = "n/a"
FEW = "†"  # behind an interval that few units bear on; told at the foot
NOTES = {
    FEW: _("† Fewer than 10 units bear on this score: its interval means little."),
    f"[{ABSENT}]": _(
        "[n/a]: no interval, since in some test set fewer than two units bear on this "
        "score, or nothing was sent for it."
    ),
}


def printed(number: float | None, decimals: int) -> str:
    # Adding 0.0 turns minus zero into zero.
    return ABSENT if number is None else f"{round(number, decimals) + 0.0:.{decimals}f}"


def signed(number: float, decimals: int) -> str:
    """A difference: "+0.42", "−1.30", "0.00" for what rounds to nothing."""
    rounded = round(number, decimals)
    sign = "+" if rounded > 0 else "\u2212" if rounded < 0 else ""
    return f"{sign}{abs(rounded):.{decimals}f}"


def chance(number: float | None) -> str:
    """Three decimals, and never a plain 0 or 1 for what is only nearly so."""
    if number is None:
        return ABSENT
    if 0 < number < 0.001:
        return "< 0.001"
    return "> 0.999" if 0.999 < number < 1 else f"{number:.3f}"


def runs_in_words(runs: int, between: str) -> str:
    """As "mean of 5 runs (sd 0.42)"; empty of one run."""
    if runs < 2:
        return ""
    if not between:
        return str(_("mean of %(n)s runs") % {"n": runs})
    return str(_("mean of %(n)s runs (sd %(sd)s)") % {"n": runs, "sd": between})


def footnotes(intervals: Iterable[str]) -> list[str]:
    """What the marks in these intervals mean, each once."""
    printed = list(intervals)
    return [
        str(said) for mark, said in NOTES.items() if any(mark in one for one in printed)
    ]


def bracketed(
    value: float | None,
    low: float | None,
    high: float | None,
    decimals: int,
    few: bool | None = False,
) -> str:
    """As "[81.2, 84.0]", "[n/a]" beside a score without one, else empty."""
    if value is None:
        return ""
    if low is None or high is None:
        return f"[{ABSENT}]"
    mark = FEW if few else ""
    return f"[{printed(low, decimals)}, {printed(high, decimals)}]{mark}"


@dataclass(frozen=True)
class Grid:
    """Multiples of `size`, in the units of the measure (shares, not points)."""

    size: float

    @classmethod
    def at_least(cls, size: float) -> "Grid":
        """The next larger round size, at most a third more: multiples print short."""
        ten = 10.0 ** math.floor(math.log10(size))
        head = next(head for head in ROUND if head * ten >= size * (1 - SLACK))
        return cls(float(f"{head * ten:.2g}"))

    @property
    def decimals(self) -> int:
        """Decimals that its multiples need."""
        exponent = Decimal(repr(self.size)).normalize().as_tuple().exponent
        return max(0, -int(exponent))

    def nearest(self, number: float) -> float:
        return self._times(round(round(number / self.size, 9)))

    def below(self, number: float) -> float:
        return self._times(math.floor(number / self.size + SLACK))

    def above(self, number: float) -> float:
        return self._times(math.ceil(number / self.size - SLACK))

    def _times(self, steps: int) -> float:
        return round(steps * self.size, self.decimals) + 0.0


@dataclass(frozen=True)
class Score:
    """One measure of one system. `exact` is what may be told of what the engine gave;
    `value, low, high` are as shown, shares times 100. None is n/a. `grid` is what
    the numbers were rounded to, if they were: then it is told whether few units bear
    on the measure, but not how many, which would say what the gold is like."""

    measure: Measure
    exact: Mapping[str, Any]
    grid: Grid | None = None

    @classmethod
    def of(
        cls,
        measure: Measure,
        found: Mapping[str, Any] | None,
        grid: Grid | None = None,
    ) -> "Score":
        found = found or {}
        numbers = {
            "value": found.get("value"),
            "low": found.get("low"),
            "high": found.get("high"),
        }
        units = found.get("informative_units")
        if grid is not None:
            numbers = _rounded(numbers, grid, measure.percent)
        told: dict[str, float | None] = {
            "informative_units": None if units is None or grid else int(units),
            "few_units": None if units is None else units < FEW_UNITS,
        }
        between = found.get("between_runs")
        if between is not None and grid is None:
            told["between_runs"] = between
        return cls(measure, {**numbers, **told}, grid)

    def _shown(self, key: str) -> float | None:
        number = self.exact[key]
        return number if number is None or not self.measure.percent else number * 100

    @property
    def value(self) -> float | None:
        return self._shown("value")

    @property
    def low(self) -> float | None:
        return self._shown("low")

    @property
    def high(self) -> float | None:
        return self._shown("high")

    @property
    def few(self) -> bool | None:
        """Whether so few units bear on it that the interval means little."""
        return self.exact.get("few_units")

    @property
    def between_runs(self) -> str:
        """The standard deviation between runs; empty of one run and where rounded."""
        found = self.exact.get("between_runs")
        factor = 100 if self.measure.percent else 1
        return "" if found is None else printed(found * factor, self.decimals[0])

    @property
    def printed(self) -> str:
        """The value as people read it: always the same decimals, "n/a" without one."""
        return printed(self.value, self.decimals[0])

    @property
    def interval(self) -> str:
        """As "[81.2, 84.0]", "[n/a]" beside a score without one."""
        ends = (self.value, self.low, self.high)
        return bracketed(*ends, self.decimals[1], self.few)

    @property
    def decimals(self) -> tuple[int, int]:
        """Of the value and of the ends of its interval, as shown."""
        if self.grid is None:
            return PERCENT if self.measure.percent else PLAIN
        digits = max(0, self.grid.decimals - (2 if self.measure.percent else 0))
        return digits, digits


class Shown(NamedTuple):
    """The numbers of a score as they are shown, without what else is known of it."""

    value: float | None
    low: float | None
    high: float | None
    few: bool | None
    decimals: tuple[int, int]


def _rounded(
    numbers: Mapping[str, float | None], grid: Grid, percent: bool
) -> dict[str, float | None]:
    """The value to the nearest place, the interval outward.

    A share is not rounded beyond 1; an error rate may have been there before.
    """
    exact, low, high = (numbers[key] for key in ("value", "low", "high"))
    if exact is None:
        return dict.fromkeys(numbers)
    value = grid.nearest(exact)
    if percent and exact <= 1:
        value = min(value, grid.below(1.0))
    if low is None or high is None:
        return {"value": value, "low": None, "high": None}
    most = 1.0 if percent and high <= 1 else math.inf
    low, high = min(grid.below(low), value), max(grid.above(high), value)
    return {"value": value, "low": low, "high": min(high, most)}
