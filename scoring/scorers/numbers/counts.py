"""Whole numbers of every item: powers of its two values, its ranks, its error.

Correlations do not depend on the scale of a system. Its values are therefore taken less
their mean and over their standard deviation, and as ranks: so systems on different
scales can be exchanged within items, as the test of two systems supposes (Deutsch, Dror
and Roth 2021). Errors are taken in a frame near the gold's range, the same for all
systems, so that squares keep their digits however far from 0 the values lie.
"""

import math
from dataclasses import dataclass

import numpy as np

from scoring.answered import Answered, few_but
from scoring.counts import Counts, Flags, Floats, exact_point, fixed_point
from scoring.inspection import Inspection, ItemTable, Picture, kinds_at
from scoring.oddities import LEAST_ALIKE, begin_anew, one_to_the_end
from scoring.options import Options
from scoring.scorer import DetailRows, details_of
from scoring.scorers.numbers import figures
from scoring.scorers.numbers.values import Values

# A tenth of the gold's range is worth a look.
FAR = 0.1
# A correlation below this, of so many items, is none of a system that is merely bad.
TURNED, LEAST = -0.5, 10
SHIFTED, LEAST_SHIFTED = 0.75, 12
NARROW = 0.5  # a correlation
LEAST_MOVED = 30  # fewer may go with others by chance
MOVED = (
    "the values fit the items of other rows better than their own: was their order "
    "changed?"
)
MOST_RANGES = 100  # of the gold, from its middle to a value
# Sums of squares in steps of 2**-26 are exact below 2**27, whatever a resample draws.
MOST_SQUARES = 2.0**26
# A difference of decimals may be off by its last bit: 4.4 - 3.4 is more than 1.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Frame:
    """The place and size of a gold's values: `middle`, and two to the `exponent`."""

    middle: float
    exponent: int

    @classmethod
    def of(cls, gold: Floats) -> "Frame":
        """The half range of the gold is then 1/4 to 1/2; of equal values it is 0."""
        half = float(gold.max()) / 2 - float(gold.min()) / 2
        _, power = math.frexp(half or 1.0)
        mean = math.fsum(gold.tolist()) / len(gold)
        step = math.ldexp(1.0, power + 1)
        # A round number takes no digits off the values.
        middle = round(mean / step * 4) * step / 4 if half else mean
        return cls(middle, power + 1)

    def framed(self, values: Floats) -> Floats:
        return np.ldexp(values - self.middle, -self.exponent)


def standard(values: Floats) -> Floats:
    """Values less their mean, over their standard deviation; 0 where all are equal."""
    if values.min() == values.max():
        return np.zeros(len(values))
    off = values - math.fsum(values.tolist()) / len(values)
    off /= np.abs(off).max()
    squares = math.fsum((off * off).tolist()) / len(values)
    return np.asarray(off / math.sqrt(squares))


def ranks(values: Floats) -> Floats:
    """Twice the mean rank of each value, a whole number."""
    _, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
    twice = 2 * np.cumsum(sizes) - sizes + 1
    return twice[codes.reshape(-1)].astype(np.float64)


def count(gold: Values, system: Values, options: Options) -> Counts:
    """One row per item."""
    size = len(gold)
    frame = Frame.of(gold.numbers)
    framed, answer = frame.framed(gold.numbers), frame.framed(system.numbers)
    near = ~_outside(answer, 1.0)
    far = ~near & ~_outside(answer, figures.FAR)
    beyond = _outside(answer, figures.FARTHER)
    error = np.where(near, answer - framed, 0.0)
    far_error = np.where(far, (answer - framed) / figures.FAR, 0.0)
    rest = ~(near | far | beyond)
    farther = np.where(rest, (answer - framed) / figures.FARTHER, 0.0)
    x, y = standard(gold.numbers), standard(system.numbers)
    columns: dict[str, Floats] = {
        figures.ITEMS: np.ones(size),
        **fixed_point(figures.GOLD, x),
        **fixed_point(figures.SYSTEM, y),
        **fixed_point(figures.GOLD_SQUARES, x * x),
        **fixed_point(figures.SYSTEM_SQUARES, y * y),
        **fixed_point(figures.PRODUCTS, x * y),
        figures.RANKS[0]: ranks(gold.numbers),
        figures.RANKS[1]: ranks(system.numbers),
        **fixed_point(figures.FRAMED, framed),
        **fixed_point(figures.FRAMED_SQUARES, framed * framed),
        **fixed_point(figures.ABSOLUTE, np.abs(error)),
        **fixed_point(figures.SQUARED, error * error),
        **fixed_point(figures.FAR_ABSOLUTE, np.abs(far_error)),
        **fixed_point(figures.FAR_SQUARED, far_error * far_error),
        **exact_point(figures.FARTHER_ABSOLUTE, np.abs(farther)),
        **exact_point(figures.FARTHER_SQUARED, farther * farther),
        figures.EXPONENT: np.full(size, float(frame.exponent)),
        figures.BEYOND: beyond.astype(np.float64),
        **_signed_errors(framed, error, far_error, farther),
        figures.NEAR: _near(gold, system, options).astype(np.float64),
        figures.NEAR_ITEMS: np.ones(size),
    }
    return Counts.of_rows(gold.answers.ids, columns, gold.answers.groups)


def _signed_errors(framed: Floats, *errors: Floats) -> dict[str, Floats]:
    """Columns of the concordance: errors near, far and farther, and times the gold."""
    columns = {figures.SIGNED_ITEMS: np.ones(len(framed))}
    for near, times_gold, error in zip(
        figures.SIGNED, figures.TIMES_GOLD, errors, strict=True
    ):
        columns |= exact_point(near, error)
        columns |= exact_point(times_gold, error * framed)
    return columns


def _near(gold: Values, system: Values, options: Options) -> Flags:
    """Flags of answers near enough to the gold."""
    allowed = np.maximum(float(options["within"]), gold.deviations)
    apart = np.abs(system.numbers - gold.numbers)
    return np.asarray(apart <= allowed * (1 + ROUNDING))


def _outside(framed: Floats, step: float) -> Flags:
    """Flags of values whose squared errors, in this step, are too large to be summed
    exactly."""
    return ~(np.abs(framed) <= (math.sqrt(MOST_SQUARES / len(framed)) - 1) * step)


def count_answers(_asked: Values, system: Values, _options: Options) -> Answered:
    """How the items are answered."""
    size, values = len(system), system.numbers
    if size and values.min() == values.max():
        return Answered(size, size, single=f"{values[0]:g}")
    most, odd = ("", 0), None
    if size >= LEAST_ALIKE:
        kinds, counts = np.unique(values, return_counts=True)
        if few_but(int(counts.max()), size):
            most = f"{kinds[counts.argmax()]:g}", int(counts.max())
        odd = begin_anew(values.tolist()) or one_to_the_end(values.tolist())
    return Answered(size, size, odd=odd, most=most)


def _is_shifted(gold: Floats, values: Floats, here: float) -> bool:
    """Whether values go with those of the gold in the rows next to theirs."""
    above, below = (
        float((standard(first) * standard(second)).mean())
        for first, second in ((values[:-1], gold[1:]), (values[1:], gold[:-1]))
    )
    return max(above, below) > SHIFTED and 2 * here < SHIFTED


def is_moved(gold: Floats, values: Floats, here: float) -> bool:
    """Whether values go with those of the gold where all are turned round, or moved by
    as many rows, and not where they stand."""
    if len(values) < LEAST_MOVED or 2 * here >= SHIFTED:
        return False
    other = np.conj(np.fft.rfft(standard(values)))
    asked = np.fft.rfft(standard(gold))
    best = max(
        float(np.fft.irfft(asked * side, len(values)).max())
        for side in (other, np.conj(other))
    )
    return best / len(values) > SHIFTED


def _is_narrow(gold: Floats, values: Floats, here: float) -> bool:
    """Whether values go with those of the gold, half as far apart or less, and their
    mean is one that lies off the gold's by its standard deviation, as shares beside
    grades."""
    off = abs(float(values.mean() - gold.mean()))
    return here > NARROW and 2 * values.std() < gold.std() < off


def remarks(gold: Values, system: Values, _options: Options) -> list[str]:
    """Reasons why some measures are n/a."""
    remarks = []
    values = system.numbers
    if values.min() == values.max() or gold.numbers.min() == gold.numbers.max():
        side = "system" if values.min() == values.max() else "gold"
        remarks.append(
            f"all values of the {side} are the same: no correlation is defined but CCC"
        )
    turned = float((standard(gold.numbers) * standard(values)).mean())
    if len(values) >= LEAST_SHIFTED and _is_shifted(gold.numbers, values, turned):
        remarks.append(
            "the values fit the items next to theirs better than their own: is a row "
            "missing, or too many?"
        )
    elif is_moved(gold.numbers, values, turned):
        remarks.append(MOVED)
    elif len(values) >= LEAST and turned < TURNED:
        remarks.append(
            "high values stand where the gold's are low, and low where they are high: "
            "are they turned round?"
        )
    low, high = gold.numbers.min(), gold.numbers.max()
    margin = (high - low) / 2
    far = (values < low - margin) | (values > high + margin)
    if 2 * int(far.sum()) > len(values):
        remarks.append(
            f"{int(far.sum())} of {len(values)} values are far outside of the gold's: "
            "are they on its scale?"
        )
    elif len(values) >= LEAST and _is_narrow(gold.numbers, values, turned):
        remarks.append(
            "the values go with the gold's, and lie close together on one side of "
            "them: are they on its scale?"
        )
    elif stray := int(
        (np.abs(values - (low + high) / 2) > MOST_RANGES * (high - low)).sum()
    ):
        remarks.append(
            f"{stray} of {len(values)} values lie outside of the gold's by more than "
            f"{MOST_RANGES} times their range"
        )
    frame = Frame.of(gold.numbers)
    beyond = int(_outside(frame.framed(system.numbers), figures.FARTHER).sum())
    if beyond:
        items = "value is" if beyond == 1 else "values are"
        remarks.append(
            f"{beyond} {items} on quite another scale than the gold's: errors are n/a"
        )
    return remarks


@details_of("id", "gold", "system", "error")
def details(gold: Values, system: Values, _options: Options) -> DetailRows:
    """One row per item, in the order of the gold."""
    numbers = gold.numbers.tolist(), system.numbers.tolist()
    for name, one, other in zip(gold.answers.ids, *numbers, strict=True):
        yield name, one, other, other - one


def inspect(gold: Values, system: Values, _options: Options) -> Inspection:
    """One item per unit: its two values, and what was asked."""
    error = system.numbers - gold.numbers
    edge = FAR * float(gold.numbers.max() - gold.numbers.min())
    wrong: dict[str, Flags] = {"too_low": error < -edge, "too_high": error > edge}
    inputs = gold.answers.inputs

    def picture(unit: int) -> Picture:
        own, other = float(gold.numbers[unit]), float(system.numbers[unit])
        sheet = ItemTable(
            ("gold_value", "system_value", "value_error", *inputs),
            ((own, other, other - own, *gold.answers.inputs_of(unit)),),
            (kinds_at(wrong, unit),),
            judged=("value_error",),
        )
        first, second = (tuple(side.answers.of_item(unit)) for side in (gold, system))
        return Picture(sheet, lines=(first, second))

    return Inspection.of_items(wrong, picture)
