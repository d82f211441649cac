"""Rows in order: which submission stands for a team, ranks, and how sure they are."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from leaderboard.boards.making import NOT_RANKED, Row
from leaderboard.tasks.policy import Counts
from scoring.ranks import rank_of
from scoring.standings import Standing


def order(row: Row, higher_is_better: bool) -> tuple[bool, float, datetime]:
    """Best first, n/a last, earlier before later."""
    value = row.value
    if value is None:
        return True, 0.0, row.received_at
    return False, -value if higher_is_better else value, row.received_at


def in_order(rows: Iterable[Row], higher_is_better: bool) -> list[Row]:
    return sorted(rows, key=lambda row: order(row, higher_is_better))


def one_per_team(rows: Iterable[Row], counts: str, higher_is_better: bool) -> list[Row]:
    """The row that counts of each team; baselines all stay."""
    ordered = {
        Counts.BEST: lambda: in_order(rows, higher_is_better),
        Counts.LAST: lambda: sorted(rows, key=lambda row: row.last, reverse=True),
        Counts.CHOSEN: lambda: sorted(rows, key=lambda row: row.picked, reverse=True),
    }
    kept: dict[object, Row] = {}
    for row in ordered[Counts(counts)]():
        kept.setdefault(row.stands_for, row)
    return list(kept.values())


def ranked(
    rows: Iterable[Row],
    higher_is_better: bool,
    standings: Callable[[Sequence[Row]], Sequence[Standing]],
) -> tuple[Row, ...]:
    """Rows in order with their ranks; `standings` says of ranked ones how sure."""
    ordered = in_order(rows, higher_is_better)
    may_rank = [row.may_rank for row in ordered]
    pairs = list(zip(ordered, may_rank, strict=True))
    values = [row.value if may else None for row, may in pairs]
    found = iter(standings([row for row, may in pairs if may]))
    sure = [next(found) if may else NOT_RANKED for may in may_rank]
    return tuple(_with_lines(ordered, rank_of(values, higher_is_better), sure))


def _with_lines(
    ordered: Sequence[Row], placed: Sequence[int | None], sure: Sequence[Standing]
) -> Iterable[Row]:
    cluster = 1
    for row, rank, found in zip(ordered, placed, sure, strict=True):
        lined = found.cluster is not None and found.cluster > cluster
        cluster = found.cluster or cluster
        yield row.placed(rank, found, lined)


def kept(rows: Iterable[Row], keeps: Callable[[Row], bool]) -> Iterable[Row]:
    """Some of the rows with the ranks they have; lines anew between those left."""
    last: int | None = None
    for row in filter(keeps, rows):
        own = row.standing.cluster
        lined = own is not None and last is not None and own > last
        last = own or last
        yield replace(row, line_above=lined)
