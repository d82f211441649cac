"""One system as its board shows it: scores, doubt, slices, and what came before."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nlargest

from leaderboard.boards.board import Board
from leaderboard.boards.board_rows import of_rank
from leaderboard.boards.entries import entries_of_team
from leaderboard.boards.query import BoardQuery, rankings
from leaderboard.boards.rows import Row
from leaderboard.boards.stored_board import board
from leaderboard.results.scores import Score, Scores
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import TestSet
from leaderboard.tasks.policy import Disclosure
from scoring.measures import Measure

MOST_HISTORY = 200


@dataclass(frozen=True)
class SystemOverview:
    """`row` is the line of the system among the entries `of_team`, all of its team that
    the reader is shown, in order of receipt; `ranking` is the board, on which another
    of these may stand."""

    row: Row
    of_team: Sequence[Row]
    ranking: Board
    submission: Submission

    @classmethod
    def of(cls, submission: Submission, ranking: Board) -> "SystemOverview | None":
        """The overview; None where the reader is not shown the submission."""
        of_team = entries_of_team(ranking, submission.participation_id)
        key = str(submission.pk)
        own = next((row for row in of_team if row.submission == key), None)
        return None if own is None else cls(own, of_team, ranking, submission)

    @cached_property
    def stands(self) -> tuple[int, Row] | None:
        """Place and line of the system on the board; None where it has no rank."""
        return self.ranking.best_of([self.row.submission])

    @property
    def ranks_as(self) -> Row | None:
        """The line of the system on the board; None where it has no rank there."""
        return self.stands[1] if self.stands else None

    @property
    def ranked(self) -> int:
        """The number of systems with a rank; baselines have none."""
        return self.ranking.rows.summary.ranked

    @property
    def doubt(self) -> str:
        """The possible ranks of the system where there are several."""
        ranks = self.ranks_as.rank_range if self.ranks_as else ""
        return "" if ranks.isdigit() else ranks

    @property
    def test_set(self) -> TestSet | None:
        """The one that this is the ranking of, where each has one of its own."""
        return self.ranking.test_set

    @property
    def shared(self) -> bool:
        """Whether another system has the same rank."""
        rank = self.ranks_as.rank if self.ranks_as else None
        return rank is not None and len(self.ranking.rows.where(of_rank(rank), 2)) > 1

    @cached_property
    def history(self) -> list[Row]:
        """The entries of the team that are shown, newest first."""
        same = self.row.evaluation.stands_for
        own = [row for row in self.of_team if row.evaluation.stands_for == same]
        return nlargest(MOST_HISTORY, own, key=lambda row: row.evaluation.last)

    @property
    def alone(self) -> bool:
        """Whether the reader is shown no other entry."""
        return len(self.history) == 1 and len(self.ranking.rows) <= 1

    @cached_property
    def parts(self) -> dict[TestSet, Scores]:
        """The scores of the system on each of several test sets that was sent.

        Not on others that rank by themselves: there it may not be on the board.
        """
        several = self.ranking.several_test_sets and self.test_set is None
        return self.ranking.scores_by_test_set(self.row) if several else {}

    @property
    def measures(self) -> list[tuple[Measure, Score, list[tuple[str, Score]]]]:
        """Each with its score overall and on each of the parts, by title."""
        scores = self.row.by_measure
        return [
            (
                m,
                scores[m.name],
                [(t.title, part[m.name]) for t, part in self.parts.items()],
            )
            for m in self.ranking.measures
        ]


def overviews_of(
    submission: Submission, disclosure: Disclosure
) -> list[SystemOverview]:
    """On each ranking of its phase that has the submission on the reader's board."""
    queries = rankings(submission.phase)
    overviews = (overview_on(query, submission, disclosure) for query in queries)
    return [overview for overview in overviews if overview is not None]


def overview_on(
    query: BoardQuery, submission: Submission, disclosure: Disclosure
) -> SystemOverview | None:
    """On the whole board of a query; None where its reader is not shown the
    submission."""
    whole = replace(query, everything=False, facts=(), search="")
    return SystemOverview.of(submission, board(whole, disclosure))
