"""Columns of short texts, compared and told apart many bytes at a time.

Fetching 64 bytes from somewhere in a buffer costs hardly more than fetching eight, so
that each piece becomes one row of words, as wide as nearly all pieces of the column
need. The few that are longer go the way of `scoring.formats.fields`.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.formats import fields as pieces
from scoring.formats.codes import Coded, Flags, merged
from scoring.formats.fields import WIDTH, Bytes, Fields, Words, in_a_row

WIDTHS = (1, 2, 4, 8)
# One piece in this many may be longer than the rows are.
RARE = 16
SLOTS = 1 << 14
TO_SLOT = np.uint64(64 - 14)
MIXERS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93,
     0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3],
    dtype=np.uint64,
)  # fmt: skip

Rows = npt.NDArray[np.void]


def equal(first: Fields, second: Fields) -> Flags:
    """Which rows (n,) hold the same bytes on both sides; neither may hold a NUL."""
    pairs = zip(first.blocks(), second.blocks(), strict=True)
    return in_a_row([_equal(left, right) for left, right in pairs], np.bool_)


def coded(fields: Fields) -> Coded:
    """Distinct texts and which of them each piece is; none may hold a NUL."""
    return merged([_some_coded(block) for block in fields.blocks()])


def _some_coded(fields: Fields) -> Coded:
    width = _width(fields)
    long = fields.sizes > WIDTH * width
    if not long.any():
        return _coded(fields, width)
    short = _coded(fields.at(~long), width)
    rest = fields.at(long).coded()
    codes = np.empty(len(fields), dtype=np.int64)
    codes[~long] = short.codes
    codes[long] = rest.codes + len(short.values)
    return Coded(codes, short.values + rest.values)


def _equal(first: Fields, second: Fields) -> Flags:
    width = _width(first)
    size = WIDTH * width
    kept = _masks(width).take(np.minimum(first.sizes, size))
    same = np.equal(first.sizes, second.sizes)
    differ = _words(fetched(first.buffer, first.begins, size)) ^ _words(
        fetched(second.buffer, second.begins, size)
    )
    differ &= _words(kept)
    # A row of flags is looked at as one number.
    flags = (differ.reshape(-1, width) != 0).view(f"u{width}")
    same &= flags[:, 0] == 0
    long = np.flatnonzero(same & (first.sizes > size))
    if len(long):
        same[long] = pieces.equal(first.at(long), second.at(long))
    return np.asarray(same, dtype=np.bool_)


def _coded(fields: Fields, width: int) -> Coded:
    """Pieces of at most 8 * width bytes; without NULs their words say all."""
    kept = _masks(width).take(fields.sizes)
    words = _words(fetched(fields.buffer, fields.begins, WIDTH * width))
    words &= _words(kept)
    keys = words if width == 1 else words.reshape(-1, width) @ MIXERS[:width]
    sample, codes = _told_apart(keys)
    rows = words.view(kept.dtype)
    if width > 1 and (_words(rows.take(sample).take(codes)) != words).any():
        # Two texts happen to have one key.
        return fields.coded()
    return Coded(codes, fields.at(sample).texts())


def _told_apart(keys: Words) -> tuple[Integers, Integers]:
    """A row of each distinct key, and which of them every row has."""
    slots = ((keys * MIXERS[0]) >> TO_SLOT).view(np.int64)
    last = np.zeros(SLOTS, dtype=np.int64)
    last[slots] = np.arange(1, len(keys) + 1)
    taken = np.flatnonzero(last)
    sample = last[taken] - 1
    odd = np.flatnonzero(keys[last[slots] - 1] != keys)
    last[taken] = np.arange(len(taken))
    codes = last[slots]
    if not len(odd):
        return sample, codes
    # Their slots went to other keys: only these few are sorted.
    _, first, rest = np.unique(keys[odd], return_index=True, return_inverse=True)
    codes[odd] = rest + len(sample)
    return np.concatenate((sample, odd[first])), codes


def _width(fields: Fields) -> int:
    """Words per row, so that hardly any piece is longer."""
    for width in WIDTHS:
        longer = np.count_nonzero(fields.sizes > WIDTH * width)
        if longer * RARE <= len(fields):
            return width
    return WIDTHS[-1]


@lru_cache
def _masks(width: int) -> Rows:
    """By the size of a piece, the bytes of a row that belong to it."""
    size = WIDTH * width
    inside = np.tri(size + 1, size, -1, dtype=np.uint8) * np.uint8(255)
    return inside.reshape(-1).view(f"V{size}")


def fetched(buffer: Bytes, begins: Integers, size: int) -> Rows:
    """So many bytes from each offset on, zeros behind the end of the buffer."""
    last = len(buffer) - size
    if last >= int(begins.max(initial=0)):
        return _from(buffer, begins, size)
    # Only pieces in the last bytes of the text come here.
    late = begins > last
    start = max(last, 0)
    tail = np.append(buffer[start:], np.zeros(size, dtype=np.uint8))
    found = np.empty(len(begins), dtype=f"V{size}")
    found[late] = _from(tail, begins[late] - start, size)
    if last >= 0:
        found[~late] = _from(buffer, begins[~late], size)
    return found


def _from(buffer: Bytes, begins: Integers, size: int) -> Rows:
    every: Rows = np.ndarray(
        (len(buffer) - size + 1,), f"V{size}", buffer, strides=(1,)
    )
    return every[begins]


def _words(rows: Rows) -> Words:
    return rows.view("<u8")
