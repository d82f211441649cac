"""How many more votes a campaign needs, as its organizers see it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.extension.models import Submission
from leaderboard.extras.judging.results import CampaignVotes
from leaderboard.extras.judging.stop_rule import NEVER, Progress, progress
from leaderboard.extras.judging.votes import Moves, Ratings

SHOWN = 12  # pairs


@dataclass(frozen=True)
class OpenPair:
    """Two systems that are not told apart; `needed` is None out of reach."""

    first: Submission
    second: Submission
    needed: int | None


@dataclass(frozen=True)
class CampaignOutlook:
    """Pairs that votes tell apart by now, and the others, the nearest first."""

    pairs: int
    told_apart: int
    nearest: Sequence[OpenPair]
    looked_at: int
    next_look: int

    @property
    def is_over(self) -> bool:
        return self.told_apart == self.pairs

    @property
    def within_reach(self) -> Sequence[OpenPair]:
        return [pair for pair in self.nearest if pair.needed is not None]

    @property
    def first_pairs(self) -> Sequence[OpenPair]:
        return self.nearest[:SHOWN]

    @property
    def hidden(self) -> int:
        return max(len(self.nearest) - SHOWN, 0)

    @property
    def votes_needed(self) -> int:
        """Votes that all pairs within reach need."""
        return max((pair.needed or 0 for pair in self.nearest), default=0)


def outlook(
    votes: CampaignVotes, systems: Sequence[Submission]
) -> CampaignOutlook | None:
    """The outlook of a campaign; None where there is nothing to compare yet."""
    if len(systems) < 2 or not votes.counted_rows:
        return None
    progress = _progress(votes, systems)
    still = [
        OpenPair(
            systems[progress.first[i]],
            systems[progress.second[i]],
            None if progress.needed[i] == NEVER else int(progress.needed[i]),
        )
        for i in progress.open_pairs.tolist()
    ]
    still.sort(key=lambda pair: (pair.needed is None, pair.needed or 0))
    pairs = len(progress.told_at)
    told_apart = pairs - len(still)
    return CampaignOutlook(
        pairs, told_apart, still, progress.looked_at, progress.next_look
    )


def _progress(votes: CampaignVotes, systems: Sequence[Submission]) -> Progress:
    size = len(systems)
    if votes.campaign.in_pairs:
        given = votes.on_pairs([system.pk for system in systems])[0]
        order = np.arange(len(given))
        return progress(
            len(given), size, lambda at: Ratings.of(given.where(order < at), size).moves
        )
    place = {system.pk: i for i, system in enumerate(systems)}
    rows = [row for row in votes.counted_rows if row.first in place]
    names = {name: i for i, name in enumerate(dict.fromkeys(row.unit for row in rows))}
    system_of = np.array([place[row.first] for row in rows], dtype=np.int64)
    unit_of = np.array([names[row.unit] for row in rows], dtype=np.int64)
    judge_of = np.array([row.number for row in rows], dtype=np.int64)
    column = votes.campaign.columns[0]
    values = np.array([row.values[column] for row in rows], dtype=np.float64)
    return progress(
        len(rows),
        size,
        lambda at: Moves.of_means(
            system_of[:at], unit_of[:at], judge_of[:at], values[:at], size
        ),
    )
