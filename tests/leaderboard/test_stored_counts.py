"""Counts that a process keeps: small, read back as stored, the oldest dropped."""

import numpy as np
import pytest

from leaderboard.results.stored_counts import PackedCounts, unpack_counts
from leaderboard.web.cache import LruBySize
from scoring import Counts

UNITS = tuple(f"s{i}" for i in range(200))
GROUPS = {"document": tuple(f"d{i // 10}" for i in range(200))}


def counts(table: np.ndarray, units: tuple[str, ...] = UNITS) -> Counts:
    columns = tuple(["right", "all"])
    return Counts(tuple(list(units)), columns, table, dict(GROUPS))


@pytest.mark.parametrize("most", [1, 200, 40_000, 2**40, -7, -(2**33)])
def test_whole_numbers_of_any_size_are_read_back_as_they_were(most: int) -> None:
    table = np.zeros((200, 2))
    table[3] = most, 1
    again = unpack_counts(PackedCounts.of(counts(table), None).counts)
    assert again.table.dtype == np.float64
    assert np.array_equal(again.table, table)


def test_runs_are_read_back_as_they_were() -> None:
    both = Counts.of_runs([counts(np.ones((200, 2))), counts(np.full((200, 2), 3.0))])
    again = unpack_counts(PackedCounts.of(both, None).counts)
    assert again.runs is not None and both.runs is not None
    assert np.array_equal(again.runs, both.runs)
    assert np.array_equal(again.table, both.table)


def test_counts_of_one_gold_share_their_names() -> None:
    first = PackedCounts.of(counts(np.ones((200, 2))), None)
    second = PackedCounts.of(counts(np.ones((200, 2))), first.counts)
    assert unpack_counts(second.counts).units is first.counts.units
    assert unpack_counts(second.counts).columns is first.counts.columns
    assert second.size < first.size / 5
    other = tuple(f"t{i}" for i in range(200))
    third = PackedCounts.of(counts(np.ones((200, 2)), other), first.counts)
    assert unpack_counts(third.counts).units == other


def test_the_oldest_are_forgotten_beyond_so_many_bytes() -> None:
    kept: LruBySize[str] = LruBySize(6, len)
    for number in (1, 2, 3, 3, 3):
        kept.remember(number, "xx")
    assert kept.recall([1, 2, 3]).keys() == {1, 2, 3}
    kept.recall([1])
    kept.remember(4, "xx")
    assert kept.things.keys() == {3, 1, 4}
    kept.remember(5, "xxxx")
    assert kept.things.keys() == {4, 5}, "a large one takes the place of as many"
    kept.remember(6, "xxxxxxx")
    assert kept.things.keys() == {4, 5}, "what is too large is not kept"
    kept.clear()
    assert (kept.held, len(kept.things)) == (0, 0)
