"""Rows in order: which submission stands for a team, ranks, and how sure they are."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from leaderboard.boards.making import NOT_RANKED, Beside, Found, Row
from leaderboard.tasks.policy import Counts
from scoring.ranks import rank_of
from scoring.standings import Standing


def in_order(found: Iterable[Found], higher_is_better: bool) -> list[Found]:
    """Best first, n/a last; of equal ones the earlier before the later."""
    rows = list(found)
    places = rank_of([one.value for one in rows], higher_is_better)

    def place(pair: tuple[Found, int | None]) -> tuple[int, datetime]:
        one, rank = pair
        return rank or len(rows) + 1, one.sent.received_at

    return [one for one, _ in sorted(zip(rows, places, strict=True), key=place)]


def one_per_team(
    found: Iterable[Found], counts: str, higher_is_better: bool
) -> list[Found]:
    """What counts of each team; baselines all stay.

    What does not compete stands for its team only where nothing else does.
    """
    ordered = {
        Counts.BEST: lambda: in_order(found, higher_is_better),
        Counts.LAST: lambda: sorted(found, key=lambda one: one.sent.last, reverse=True),
        Counts.CHOSEN: lambda: sorted(
            found, key=lambda one: (one.sent.picked, one.sent.last), reverse=True
        ),
    }
    kept: dict[object, Found] = {}
    for one in sorted(ordered[Counts(counts)](), key=lambda one: not one.sent.competes):
        kept.setdefault(one.sent.stands_for, one)
    return list(kept.values())


def ranked(
    found: Iterable[Found],
    beside: Beside,
    standings: Callable[[Sequence[Found]], Sequence[Standing]],
) -> tuple[Row, ...]:
    """Rows in order with their ranks; `standings` says of ranked ones how sure."""
    higher_is_better = beside.measure.higher_is_better
    ordered = in_order(found, higher_is_better)
    may_rank = [one for one in ordered if one.may_rank]
    values = [one.value if one.may_rank else None for one in ordered]
    sure = iter(standings(may_rank))
    rows, cluster = [], 1
    for one, rank in zip(ordered, rank_of(values, higher_is_better), strict=True):
        standing = NOT_RANKED if rank is None else next(sure)
        lined = standing.cluster is not None and standing.cluster > cluster
        cluster = standing.cluster or cluster
        rows.append(Row(*one, beside, rank, standing, lined))
    return tuple(rows)


def kept(rows: Iterable[Row], keeps: Callable[[Row], bool]) -> Iterable[Row]:
    """Some of the rows with the ranks they have; lines anew between those left."""
    last: int | None = None
    for row in filter(keeps, rows):
        own = row.standing.cluster
        lined = own is not None and last is not None and own > last
        last = own or last
        yield replace(row, line_above=lined)
