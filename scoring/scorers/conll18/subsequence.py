"""The longest common subsequence of two word lists, ties broken as the task does."""

from collections.abc import Sequence


def common(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Places in `first` and `second` that are paired, both rising.

    Equal words that meet are paired; otherwise a word of `first` is passed by if that
    loses nothing, else a word of `second` is. Lengths of common subsequences are kept
    as bits (Hyyro 2004): a row for every tail of `first`, in which bit j is zero where
    one more word of the tail of `second` makes the subsequence longer.
    """
    rows = _rows(first, second)
    pairs = []
    i = j = 0
    while i < len(first) and j < len(second):
        tail = (1 << (len(second) - j)) - 1
        with_word, without = rows[len(first) - i], rows[len(first) - i - 1]
        if first[i] == second[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif (with_word & tail).bit_count() == (without & tail).bit_count():
            i += 1
        else:
            j += 1
    return pairs


def _rows(first: Sequence[str], second: Sequence[str]) -> list[int]:
    places: dict[str, int] = {}
    for place, word in enumerate(reversed(second)):
        places[word] = places.get(word, 0) | 1 << place
    full = (1 << len(second)) - 1
    row = full
    rows = [row]
    for word in reversed(first):
        hits = row & places.get(word, 0)
        row = ((row + hits) | (row - hits)) & full
        rows.append(row)
    return rows
