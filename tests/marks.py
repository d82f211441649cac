"""Marks of tests that take arguments: what they say, and that it is right."""

from collections import defaultdict
from collections.abc import Iterable
from zlib import crc32

import pytest

# Why a test may come out otherwise on another database
DIFFERENCES = {
    "locks": "several at once: waiting, rows that are locked, who comes first",
    "constraints": "what the tables refuse, and when they do",
    "json": "columns of JSON: what is asked of them, and in which order it comes back",
    "time": "moments and days, computed or compared by the database",
    "sql": "aggregates, order and types of queries; what is written for one database",
}
# Where a long test runs by day; at night it runs on both
DATABASES = ("sqlite", "postgresql")


def check_databases(items: Iterable[pytest.Item]) -> None:
    """Raises UsageError where a mark does not say what may differ."""
    for item in items:
        for mark in item.iter_markers("databases"):
            if not mark.args or not DIFFERENCES.keys() >= set(mark.args):
                raise pytest.UsageError(
                    f"{item.nodeid}: databases{mark.args} says what may differ by "
                    f"one or more of {', '.join(DIFFERENCES)}"
                )
            if mark.kwargs and mark.kwargs.get("by_day") not in DATABASES:
                raise pytest.UsageError(
                    f"{item.nodeid}: databases(by_day=...) is one of "
                    f"{', '.join(DATABASES)}"
                )


def runs_by_day(item: pytest.Item, part: str) -> bool:
    """Whether a test runs by day in this part of the suite, of which one is on
    PostgreSQL."""
    mark = item.get_closest_marker("databases")
    wanted = mark.kwargs.get("by_day") if mark else None
    return wanted in (None, "postgresql" if part == "postgresql" else "sqlite")


def left_out_of_sample(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Cases that `sampled(n, by=NAME)` leaves to runs with --whole."""
    groups = defaultdict[object, list[tuple[str, pytest.Item]]](list)
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark and "by" in mark.kwargs:
            function = item.nodeid.partition("[")[0]
            parameters = item.callspec.params  # type: ignore[attr-defined]
            name = str(parameters[mark.kwargs["by"]])
            groups[function, mark.args[0]].append((name, item))
    return {
        item
        for (_, share), cases in groups.items()
        for kept in [sample((name for name, _ in cases), share)]
        for name, item in cases
        if name not in kept
    }


def sample(names: Iterable[str], share: int) -> set[str]:
    """About one in `share`, and at least one of each kind, which is before a colon.

    The names decide, so that the same ones stay when others come or go.
    """
    kinds = defaultdict[str, set[str]](set)
    for name in names:
        kinds[name.partition(":")[0] if ":" in name else ""].add(name)
    first = {min(kind, key=_number) for kind in kinds.values()}
    every = {name for kind in kinds.values() for name in kind}
    return first | {name for name in every if _number(name) % share == 0}


def _number(name: str) -> int:
    return crc32(name.encode())
