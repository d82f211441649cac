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
    many = len(system.shown) > MOST_OTHERS
    listed = system.entries.one_each if many else system.shown
    own = system.row.submission
    others = [row for row in listed if row.submission != own][:MOST_OTHERS]
    if not others:
        return None
    ranked = [row for row in system.ranking.rows if row.ranked]
    leader = ranked[0] if ranked and ranked[0].submission != own else None
    place = 0
    if system.ranks_as is not None and system.ranks_as.ranked:
        place = ranked.index(system.ranks_as)
    return Rivals(others, ranked[place - 1] if place else None, leader)


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
