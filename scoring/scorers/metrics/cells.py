"""Cells of segments and systems, as counts hold them and measures take them.

A unit is a segment, and has columns for each system: measures so see all scores of a
segment, however often it is drawn. `Cells` takes them apart again.

Differences of a metric's scores are compared with each other where ties are calibrated,
and two that are equal in decimals may differ in their last bit. Scores are therefore
kept to the last bit, over a power of two, in three columns of whole numbers.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.counts import Flags, Floats, Integers

# Names that end with a bracket tell of the gold: pages hide them where gold is hidden.
SEGMENTS = "segments"
# The same in every row: what scores are whole multiples of; a metric's mean, and the
# power of two that its scores are divided by.
STEPS = "step[gold]", "step[system]"
CENTRE, EXPONENT = "centre[system]", "exponent[system]"
# Of each system: rank among all scores, 0 where there is none; score less the mean and
# over the standard deviation; the metric's score over a power of two, in parts.
HUMAN_RANK, HUMAN = "human_rank[]", "human[]"
METRIC_RANK, METRIC = "metric_rank[]", "metric[]"
PARTS = tuple(f"metric_part_{part}[]" for part in (1, 2, 3))
PART_STEPS = 2.0**-24, 2.0**-52, 2.0**-80
CONSTANT = (SEGMENTS, *STEPS, CENTRE, EXPONENT)
BLOCKS = (HUMAN_RANK, HUMAN, METRIC_RANK, METRIC, *PARTS)
COLUMNS = (*CONSTANT, *BLOCKS)
# Parts of values of which sums are exact.
HIGH, LOW = 2.0**26, 2.0**52


def parts_of(values: Floats) -> list[Floats]:
    """Whole numbers that times PART_STEPS add up to the values."""
    parts, rest = [], values
    for step in PART_STEPS:
        parts.append(np.rint(rest / step))
        rest = rest - parts[-1] * step
    return parts


def exact_sums(weights: Floats, values: Floats) -> Floats:
    """weights (k, n) @ values (n, c), of values to 2**-52: for whole weights the same
    in any order of the rows."""
    high = np.rint(values * HIGH)
    low = np.rint((values - high / HIGH) * LOW)
    return np.asarray((weights @ high) / HIGH + (weights @ low) / LOW)


@dataclass(frozen=True)
class Cells:
    """A table of the columns COLUMNS, whose rows (n,) are segments."""

    table: Floats

    @property
    def systems(self) -> int:
        return int(self.table.shape[1] - len(CONSTANT)) // len(BLOCKS)

    def block(self, name: str) -> Floats:
        """Columns of all systems, (n, systems)."""
        first = len(CONSTANT) + BLOCKS.index(name) * self.systems
        return self.table[:, first : first + self.systems]

    @cached_property
    def given(self) -> Flags:
        return np.asarray(self.block(HUMAN_RANK) > 0)

    @cached_property
    def scores(self) -> Floats:
        """The metric's scores over a power of two, to the last bit."""
        parts = [
            self.block(name) * step
            for name, step in zip(PARTS, PART_STEPS, strict=True)
        ]
        return np.asarray(parts[0] + (parts[1] + parts[2]))

    @property
    def centres(self) -> Floats:
        """The mean of the metric whose row it is, over the same power of two."""
        return self.table[:, CONSTANT.index(CENTRE)]

    def step(self, side: int) -> float:
        """The step that all scores of a side are multiples of; 0 for none."""
        steps = self.table[:, CONSTANT.index(STEPS[side])]
        return float(steps.max(initial=0.0))

    @cached_property
    def rows(self) -> tuple[Integers, Integers]:
        """Segment and system of every score."""
        segment, system = np.nonzero(self.given)
        return segment, system
