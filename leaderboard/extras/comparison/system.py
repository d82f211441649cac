"""Parts of the page of a system: its rivals, and the ranks that it may have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from leaderboard.extension.boards import Row, SystemOverview
from leaderboard.extension.scores import printed
from leaderboard.extras.comparison.contest import RARE, contest

MOST_OTHERS = 200
OPTION = '<option value="{}">{}, {}</option>'


@dataclass(frozen=True)
class Rivals:
    """Rows that a system can be compared with: `others`; `above` is the ranked system
    on the next place above, if it has a place itself, and `leader` the first of the
    board, if that is another system."""

    others: Sequence[Row]
    above: Row | None
    leader: Row | None

    @property
    def options(self) -> SafeString:
        """The others as a list to choose from, which the template engine takes long
        for."""
        texts = ((row.submission, row.system, row.team) for row in self.others)
        return format_html_join("\n", OPTION, texts)


def rivals(system: SystemOverview, _user: Any) -> Rivals | None:
    """Other systems to compare a system with: the best of the board, and what else the
    team has sent. None where there are none."""
    board, own = system.ranking, system.row.submission
    if not board.disclosure.details:
        return None
    listed = {row.submission: row for row in board.rows[:MOST_OTHERS]}
    listed |= {row.submission: row for row in system.history}
    others = [row for row in listed.values() if row.submission != own]
    if not others:
        return None
    above = board.rows.above(system.stands[0]) if system.stands else None
    leader = [row for row in board.rows.ranked(1) if row.submission != own]
    return Rivals(others, above, next(iter(leader), None))


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
