"""What a process keeps of evaluations: the same numbers in little memory."""

import gc
import tracemalloc
from random import Random
from typing import Any

from leaderboard.submissions import counts_cache
from leaderboard.submissions.counts_cache import Printed
from leaderboard.web.cache import LruBySize
from scoring.statistics.bootstrap import Numbers


def results(seed: int, measures: int = 40) -> dict[str, Any]:
    """As an evaluation of the only test set holds them."""
    random = Random(seed)
    of_all = {
        f"measure {number}": dict.fromkeys((*Numbers._fields, "mean"), random.random())
        for number in range(measures)
    }
    return {"overall": of_all, "test_sets": {"main": {"measures": of_all}}}


def test_packed_numbers_are_those_that_were_printed() -> None:
    printed = counts_cache._trimmed(results(1))
    expected = results(1)["overall"]
    assert printed.overall.keys() == expected.keys()
    for name, numbers in printed.overall.items():
        assert numbers == Numbers.of(expected[name])
    assert printed.test_sets["main"] is printed.overall


def test_what_was_not_printed_stays_not_available() -> None:
    packed = counts_cache.packed({"las": {"value": 0.5, "low": None}})
    assert packed["las"] == Numbers(0.5)
    assert packed.get("uas") is None
    assert not counts_cache.NOTHING


def test_numbers_of_an_evaluation_take_two_kilobytes() -> None:
    tracemalloc.start()
    kept = [counts_cache._trimmed(results(seed)) for seed in range(200)]
    gc.collect()  # Python keeps small tuples that are free for the next ones
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < len(kept) * 2500
    assert taken < sum(one.size for one in kept) < 2 * taken


def test_the_oldest_are_forgotten_beyond_so_many_bytes() -> None:
    each = counts_cache._trimmed(results(0)).size
    kept: LruBySize[Printed] = LruBySize(3 * each, lambda printed: printed.size)
    for number in (1, 2, 3, 3, 3):
        kept.remember((number,), counts_cache._trimmed(results(number)))
    assert kept.recall([(1,), (2,), (3,)]).keys() == {(1,), (2,), (3,)}
    kept.recall([(1,)])
    kept.remember((4,), counts_cache._trimmed(results(4)))
    assert kept.things.keys() == {(3,), (1,), (4,)}
    kept.clear()
    assert (kept.held, len(kept.things)) == (0, 0)


def test_a_large_thing_takes_the_place_of_as_many_as_it_must() -> None:
    kept: LruBySize[str] = LruBySize(3, len)
    for name in "abc":
        kept.remember(name, "x")
    kept.remember("d", "xx")
    assert list(kept.things) == ["c", "d"]
    assert kept.held == 3
