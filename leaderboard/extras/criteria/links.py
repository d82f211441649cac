"""Scores of phases of a series on the scale of one of them, by systems in both.

Test sets differ in how hard they are. What systems on two boards score more on the one
than on the other says by how much: the mean of their differences is the link, and their
spread says how far off a further system may be (an interval of prediction by Student's
t, as if it were drawn as they were). Boards without enough systems in
common are linked over others; what each step leaves open is added up.
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.statistics.intervals import t_quantile

LEAST_COMMON = 3  # systems: of fewer the spread of differences is as good as unknown
Scores = Mapping[Any, float]  # by system


@dataclass(frozen=True)
class Step:
    """From one board to the next: the mean difference of `common` systems, and the
    standard deviation of their differences."""

    shift: float
    spread: float
    common: int

    @property
    def variance(self) -> float:
        """The variance of what a further system scores there, given its score here."""
        return self.spread**2 * (1 + 1 / self.common)


@dataclass(frozen=True)
class ScoreLink:
    """The way from a board to the scale: by the boards `over`, the scale last."""

    over: tuple[int, ...]
    steps: tuple[Step, ...]

    @property
    def shift(self) -> float:
        return sum(step.shift for step in self.steps)

    def half_width(self, level: float) -> float:
        """Half the width of the interval of prediction; 0 for the scale itself.

        Degrees of freedom of several steps are Satterthwaite's, rounded down.
        """
        variances = [step.variance for step in self.steps]
        whole = sum(variances)
        if not whole:
            return 0.0
        parts = zip(variances, self.steps, strict=True)
        degrees = whole**2 / sum(v**2 / (step.common - 1) for v, step in parts)
        return t_quantile((1 + level) / 2, int(degrees + 1e-9)) * whole**0.5


def step_between(here: Scores, there: Scores) -> Step | None:
    """None where too few systems stand on both boards."""
    common = [system for system in here if system in there]
    if len(common) < LEAST_COMMON:
        return None
    apart = np.array([there[one] - here[one] for one in common])
    return Step(float(apart.mean()), float(apart.std(ddof=1)), len(common))


def links_to(boards: Sequence[Scores], scale: int) -> list[ScoreLink | None]:
    """For each board its surest way to the scale, that of the least variance; None for
    one from which there is none."""
    found: dict[int, ScoreLink] = {}
    waiting: list[tuple[float, int, tuple[int, ...], tuple[Step, ...]]] = [
        (0.0, scale, (), ())
    ]
    while waiting:
        variance, board, over, steps = heapq.heappop(waiting)
        if board in found:
            continue
        found[board] = ScoreLink(over, steps)
        for other in range(len(boards)):
            if other not in found:
                step = step_between(boards[other], boards[board])
                if step is not None:
                    whole = variance + step.variance
                    way = (board, *over), (step, *steps)
                    heapq.heappush(waiting, (whole, other, *way))
    return [found.get(board) for board in range(len(boards))]
