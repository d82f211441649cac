"""Parts of the page of a system: its rivals, and the ranks that it may have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.boards.rows import Row
from leaderboard.boards.systems import SystemOverview
from leaderboard.extras.comparison.contest import RARE, contest
from leaderboard.results.scores import printed

MOST_OTHERS = 200


@dataclass(frozen=True)
class Rivals:
    """Rows that a system can be compared with: `others`; `above` is the ranked system
    on the next place above, if it has a place itself, and `leader` the first of the
    board, if that is another system."""

    others: Sequence[Row]
    above: Row | None
    leader: Row | None


def rivals(system: SystemOverview, _user: Any) -> Rivals | None:
    """None where there is nothing to compare it with; of many others the best, one of
    each team."""
    if not system.ranking.disclosure.details:
        return None
    rows = system.ranking.rows
    many = len(rows) > MOST_OTHERS or len(system.shown) > MOST_OTHERS
    listed = rows[: MOST_OTHERS + 1] if many else system.shown
    own = system.row.submission
    others = [row for row in listed if row.submission != own][:MOST_OTHERS]
    if not others:
        return None
    columns = system.ranking.columns_of_rows
    ranked = [place for place, rank in enumerate(columns.rank) if rank is not None]
    keys = [columns.submission[place] for place in ranked]
    number = keys.index(own) if own in keys else 0
    above = system.ranking.rows_at(ranked[number - 1 : number])
    leader = system.ranking.rows_at(ranked[:1] if keys[:1] != [own] else [])
    return Rivals(others, next(iter(above), None), next(iter(leader), None))


def rank_shares(system: SystemOverview, _user: Any) -> Mapping[int, str]:
    """The share of shared resamples by the rank it takes there; none if rare, and none
    at all where it is one rank in each."""
    among = contest(system.ranking)
    if among is None:
        return {}
    for row, shares in zip(among.rows, among.ranks.tolist(), strict=True):
        if row.submission == system.row.submission:
            if max(shares) == 1:
                return {}
            return {i: printed(s, 2) for i, s in enumerate(shares, 1) if s >= RARE}
    return {}
