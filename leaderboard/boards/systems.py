"""One system as its board shows it: scores, doubt, slices, and what came before."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from leaderboard.boards.board import Board, board
from leaderboard.boards.charts.pairwise import contest
from leaderboard.boards.charts.slices import on_slice, summary
from leaderboard.boards.query import rankings
from leaderboard.boards.rows import Row
from leaderboard.submissions.models import Submission
from leaderboard.submissions.scores import Score, Scores
from leaderboard.tasks.models import TestSet
from leaderboard.tasks.policy import Disclosure
from scoring.measures import Measure

MOST_HISTORY = 200
# Below this share of the resamples a place is not worth a line.
RARE = 0.005


@dataclass(frozen=True)
class SystemOverview:
    """`row` is the line of the system among `entries`, all that the reader is shown;
    `ranking` is the board itself, on which it may stand or not."""

    row: Row
    entries: Board
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
        mine = (self.row.evaluation.stands_for, self.row.team)
        rows = [
            r for r in self.entries.rows if (r.evaluation.stands_for, r.team) == mine
        ]
        return sorted(rows, key=lambda row: row.evaluation.last, reverse=True)[
            :MOST_HISTORY
        ]

    @cached_property
    def others(self) -> list[Row]:
        """The rows that it can be compared with."""
        if not self.entries.disclosure.details:
            return []
        return [r for r in self.entries.rows if r.submission != self.row.submission]

    @cached_property
    def parts(self) -> dict[TestSet, Scores]:
        """Its scores on each of several test sets that was sent.

        Not on others that rank by themselves: there it may not be on the board.
        """
        several = self.entries.several_test_sets and self.test_set is None
        return self.entries.scores_by_test_set(self.row) if several else {}

    @property
    def measures(self) -> list[tuple[Measure, Score, list[Score]]]:
        """Each with its score overall and on each of the parts."""
        scores = self.row.by_measure
        return [
            (m, scores[m.name], [part[m.name] for part in self.parts.values()])
            for m in self.entries.measures
        ]

    @cached_property
    def slices(self) -> list[tuple[str, str, Score]]:
        """Grouping, label and score of the measure that ranks, where it has one."""
        measure = self.entries.measure
        scores = (
            (part, on_slice(self.entries, [self.row], part, measure)[0])
            for part in summary(self.entries)
        )
        return [
            (part.group, part.label, score)
            for part, score in scores
            if score.value is not None
        ]

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
        entries = board(replace(query, everything=disclosure.everything), disclosure)
        rows = [row for row in entries.rows if row.submission == str(submission.pk)]
        if rows:
            ranking = board(query, disclosure) if disclosure.everything else entries
            found.append(SystemOverview(rows[0], entries, ranking))
    return found
