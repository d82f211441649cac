"""One system as its board shows it: scores, doubt, slices, and what came before."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest

from leaderboard.boards.board import Board
from leaderboard.boards.entries import BoardEntries, board_entries
from leaderboard.boards.query import BoardQuery, rankings
from leaderboard.boards.rows import Row
from leaderboard.results.scores import Score, Scores
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import TestSet
from leaderboard.tasks.policy import Disclosure
from scoring.measures import Measure

MOST_HISTORY = 200
MOST_FIELD = 30


@dataclass(frozen=True)
class SystemOverview:
    """`row` is the line of the system among the `shown`, all that the reader is shown,
    best first; `ranking` is the board itself, on which it may stand or not."""

    row: Row
    shown: Sequence[Row]
    entries: BoardEntries
    ranking: Board
    submission: Submission

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


def overviews_of(
    submission: Submission, disclosure: Disclosure
) -> list[SystemOverview]:
    """On each ranking of its phase that has the submission on the reader's board."""
    found = (overview_on(q, submission, disclosure) for q in rankings(submission.phase))
    return [overview for overview in found if overview is not None]


def overview_on(
    query: BoardQuery, submission: Submission, disclosure: Disclosure
) -> SystemOverview | None:
    """On the board of a query; None where its reader is not shown the submission."""
    entries = board_entries(query, disclosure)
    own = entries.row_of(submission)
    if own is None:
        return None
    ranking = entries.ranked(entries.one_each)
    return SystemOverview(own, entries.shown, entries, ranking, submission)
