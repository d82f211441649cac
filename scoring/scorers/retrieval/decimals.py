"""Columns of plain decimals, "-12.25", as numbers: what Python reads, bit by bit.

The digits of each are a whole number, exact below 2**53, and one division by a power of
ten rounds as reading the text does (Clinger 1990).
"""

import numpy as np

from scoring.counts import Floats
from scoring.formats.field_prefixes import fill
from scoring.formats.fields import WORD_BYTES, Fields

LONGEST, MOST_DIGITS = 2 * WORD_BYTES, 15
ZERO, NINE, POINT, MINUS = map(ord, "09.-")
POWERS = np.array([float(10**k) for k in range(LONGEST + 1)])
# By byte: what the number so far is multiplied by, and what is added to it.
BYTES = np.arange(256)
IS_DIGIT = (BYTES >= ZERO) & (BYTES <= NINE)
TIMES, PLUS = np.where(IS_DIGIT, 10.0, 1.0), np.where(IS_DIGIT, BYTES - ZERO, 0.0)
IS_FINE = IS_DIGIT | (BYTES == POINT) | (BYTES == 0)


def decimals(fields: Fields) -> Floats | None:
    """The numbers of all fields (n,), None where one is no plain decimal of at most 15
    digits."""
    values = np.empty(len(fields))
    done = 0
    for block in fields.blocks():
        numbers = _decimals(block)
        if numbers is None:
            return None
        values[done : done + len(numbers)] = numbers
        done += len(numbers)
    return values


def _decimals(fields: Fields) -> Floats | None:
    sizes = fields.sizes
    if int(sizes.max()) > LONGEST:
        return None
    words = fill(fields, np.empty((len(fields), LONGEST // WORD_BYTES), "<u8"))
    rows = words.view(np.uint8)
    below = rows[:, 0] == MINUS
    rows[below, 0] = 0
    values, points, behind = np.zeros((3, len(fields)))
    for place in range(int(sizes.max())):
        column = np.ascontiguousarray(rows[:, place])
        if not IS_FINE[column].all():
            return None
        values *= TIMES[column]
        values += PLUS[column]
        here = column == POINT
        if here.any():
            points += here
            behind[here] = sizes[here] - place - 1
    digits = sizes - points - below
    if points.max() > 1 or digits.min() < 1 or digits.max() > MOST_DIGITS:
        return None
    values /= POWERS[behind.astype(np.int64)]
    np.negative(values, out=values, where=below)
    return values
