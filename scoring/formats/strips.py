"""The beginnings of fields, cut out of a text many bytes at a time.

Fetching 64 bytes from somewhere in a buffer costs hardly more than fetching eight, so
that each field becomes one row of words, as wide as nearly all fields of a column
need.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.formats.eights import MOST_WORDS, Heads
from scoring.formats.fields import WIDTH, Bytes, Fields

# One field in this many may be as long as the rows are, or longer.
RARE = 128

Rows = npt.NDArray[np.void]


def beginnings(buffer: Bytes, begins: Integers, sizes: Integers, into: Heads) -> Heads:
    """Put the first bytes of fields `into` (n, words), zeros behind their ends.

    The buffer goes on behind every field for as many bytes as a row has.
    """
    words = into.shape[1]
    found = fetched(buffer, begins, WIDTH * words)
    # No size is beyond the last mask: that of a field which fills its row.
    inside = _masks(words).take(sizes, mode="clip")
    left: Heads = np.ndarray(into.shape, "<u8", found)
    right: Heads = np.ndarray(into.shape, "<u8", inside)
    return np.bitwise_and(left, right, out=into)


def beginnings_of(fields: Fields) -> Heads:
    """As many first bytes of fields (n, words) as nearly all of them have."""
    into = np.empty((len(fields), words_for(fields.sizes)), dtype=np.uint64)
    return fill(fields, into)


def fill(fields: Fields, into: Heads) -> Heads:
    """As `beginnings`, wherever the fields end."""
    if not len(fields):
        return into
    first = int(fields.begins.min())
    buffer = padded(fields.buffer, first, int(fields.ends.max()), into.shape[1])
    return beginnings(buffer, fields.begins - first, fields.sizes, into)


def padded(buffer: Bytes, start: int, end: int, words: int = MOST_WORDS) -> Bytes:
    """buffer[start:end] and so many more words, of zeros where the buffer has ended."""
    more = end + words * WIDTH
    if more <= len(buffer):
        return buffer[start:more]
    zeros = np.zeros(more - len(buffer), dtype=np.uint8)
    return np.concatenate((buffer[start:], zeros))


def words_for(sizes: Integers) -> int:
    """Words of eight bytes that hold all of nearly every field."""
    for words in range(1, MOST_WORDS):
        if np.count_nonzero(sizes >= WIDTH * words) * RARE <= len(sizes):
            return words
    return MOST_WORDS


@lru_cache
def _masks(words: int) -> Rows:
    """By the size of a field, the bytes of a row that belong to it."""
    size = WIDTH * words
    inside = np.tri(size + 1, size, -1, dtype=np.uint8) * np.uint8(255)
    return inside.reshape(-1).view(f"V{size}")


def fetched(buffer: Bytes, begins: Integers, size: int) -> Rows:
    """So many bytes (n,) from each offset on; none goes behind the buffer."""
    every: Rows = np.ndarray(
        (len(buffer) - size + 1,), f"V{size}", buffer, strides=(1,)
    )
    return every[begins]
