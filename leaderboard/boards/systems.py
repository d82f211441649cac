"""One system as its board shows it: scores, doubt, slices, and what came before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import islice

from leaderboard.boards.board import Board, BoardEntries, board_entries, in_order
from leaderboard.boards.charts.pairwise import contest
from leaderboard.boards.charts.slices import on_slice, summary
from leaderboard.boards.query import rankings
from leaderboard.boards.rows import Row
from leaderboard.boards.uncertainty import Uncertainty, uncertainty
from leaderboard.submissions.models import Submission
from leaderboard.submissions.scores import Score, Scores
from leaderboard.tasks.models import TestSet
from leaderboard.tasks.policy import Disclosure
from scoring.measures import Measure

MOST_HISTORY = 200
MOST_OTHERS = 200
# Below this share of the resamples a place is not worth a line.
RARE = 0.005


@dataclass(frozen=True)
class SystemOverview:
    """`row` is the line of the system among the `shown`, all that the reader is shown,
    best first; `ranking` is the board itself, on which it may stand or not."""

    row: Row
    shown: Sequence[Row]
    entries: BoardEntries
    ranking: Board

    @cached_property
    def ranks_as(self) -> Row | None:
        """Its line on the board; None where another entry of the team stands there."""
        same = (
            row for row in self.ranking.rows if row.submission == self.row.submission
        )
        return next(same, None)

    @property
    def ranked(self) -> int:
        """The number of systems with a rank; baselines have none."""
        return sum(row.ranked for row in self.ranking.rows)

    @property
    def doubt(self) -> str:
        """Its possible ranks where there are several."""
        ranks = self.ranks_as.rank_range if self.ranks_as else ""
        return "" if ranks.isdigit() else ranks

    @property
    def test_set(self) -> TestSet | None:
        """The one that this is the ranking of, where each has one of its own."""
        return self.ranking.test_set

    @property
    def shared(self) -> bool:
        """Whether another system has the same rank."""
        rank = self.ranks_as and self.ranks_as.rank
        return sum(row.rank == rank for row in self.ranking.rows if row.ranked) > 1

    @cached_property
    def history(self) -> list[Row]:
        """The entries of the team that are shown, newest first."""
        team = self.row.evaluation.stands_for
        own = [row for row in self.shown if row.evaluation.stands_for == team]
        return nlargest(MOST_HISTORY, own, key=lambda row: row.evaluation.last)

    @cached_property
    def others(self) -> list[Row]:
        """Rows that it can be compared with: of many the best, one of each team."""
        if not self.ranking.disclosure.details:
            return []
        many = len(self.shown) > MOST_OTHERS
        listed = self.entries.one_each if many else self.shown
        own = self.row.submission
        others = (row for row in listed if row.submission != own)
        return list(islice(others, MOST_OTHERS))

    @cached_property
    def parts(self) -> dict[TestSet, Scores]:
        """Its scores on each of several test sets that was sent.

        Not on others that rank by themselves: there it may not be on the board.
        """
        several = self.ranking.several_test_sets and self.test_set is None
        return self.ranking.scores_by_test_set(self.row) if several else {}

    @property
    def measures(self) -> list[tuple[Measure, Score, list[Score]]]:
        """Each with its score overall and on each of the parts."""
        scores = self.row.by_measure
        return [
            (m, scores[m.name], [part[m.name] for part in self.parts.values()])
            for m in self.ranking.measures
        ]

    @cached_property
    def slices(self) -> list[tuple[str, str, Score]]:
        """Grouping, label and score of the measure that ranks, where it has one."""
        measure = self.ranking.measure
        scores = (
            (part, on_slice(self.ranking, [self.row], part, measure)[0])
            for part in summary(self.ranking)
        )
        return [
            (part.group, part.label, score)
            for part, score in scores
            if score.value is not None
        ]

    @cached_property
    def uncertainty(self) -> Uncertainty | None:
        """Where the uncertainty of its scores comes from, if not units alone."""
        return uncertainty(self.ranking, self.row)

    @cached_property
    def places(self) -> Mapping[int, str]:
        """The share of shared resamples by the rank it takes there; none if rare."""
        among = contest(self.ranking)
        if among is None:
            return {}
        for row, shares in zip(among.rows, among.ranks.tolist(), strict=True):
            if row.submission == self.row.submission:
                return {i: f"{s:.2f}" for i, s in enumerate(shares, 1) if s >= RARE}
        return {}


def overviews_of(
    submission: Submission, disclosure: Disclosure
) -> list[SystemOverview]:
    """On each ranking of its phase that has the submission on the reader's board."""
    found = []
    for query in rankings(submission.phase):
        entries = board_entries(query, disclosure)
        own = entries.row_of(submission)
        if own is not None:
            shown = in_order(entries.shown, entries.better)
            ranking = entries.ranked(entries.one_each)
            found.append(SystemOverview(own, shown, entries, ranking))
    return found
