"""Rank of one submission, and what it changed for its team."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.board_rows import BASELINE, of_teams
from leaderboard.boards.computation import rest_of
from leaderboard.boards.query import rankings
from leaderboard.boards.rows import Row
from leaderboard.boards.stored_board import board
from leaderboard.boards.systems import SystemOverview, overviews_of
from leaderboard.results.score_progress import ScoreChange
from leaderboard.submissions.models import ComputedBoards, Submission
from leaderboard.tasks.policy import Disclosure

SOONEST = 2  # seconds, in which workers look for boards that are due


@dataclass(frozen=True)
class SubmissionRank:
    """`system` is the submission as its board shows it, on which another entry of the
    team may stand."""

    system: SystemOverview

    @property
    def row(self) -> Row:
        """The line of the submission."""
        return self.system.row

    @property
    def ranking(self) -> Board:
        return self.system.ranking

    @property
    def test_set(self) -> str:
        """The test set that it is the ranking of, where each has one of its own."""
        own = self.ranking.test_set
        return own.title if own is not None else ""

    @cached_property
    def counts(self) -> Row | None:
        """The row of its team, or of the baseline, on the board."""
        return next(
            self._of_team(self.ranking.rows.where(of_teams([self._team]))), None
        )

    @property
    def _team(self) -> int:
        return self.row.evaluation.participation_id

    def _of_team(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows among these that stand for the same; a baseline for itself."""
        own = self.row.evaluation.stands_for
        return (row for row in rows if row.evaluation.stands_for == own)

    @property
    def rank(self) -> str:
        """The rank of its team in a sentence; empty where it has none, or where the
        board is of before this submission."""
        row = self.counts
        if self.other and self.ranking.newer_wait:
            return ""
        if row is None or row.rank is None:
            return ""
        of_all = self.ranking.rows.summary.ranked
        values = {"rank": row.rank, "of_all": of_all, "range": row.rank_range}
        text = _("Rank %(rank)s of %(of_all)s") % values
        if row.rank_range and row.rank_range != str(row.rank):
            text += ", " + _("range %(range)s") % values
        return text

    @property
    def anchor(self) -> str:
        """The choice of the board, and the place of that row on its page."""
        own = self.ranking.test_set
        choice = f"?test_set={own.name}" if own is not None else ""
        return f"{choice}#row-{self.counts.submission}" if self.counts else choice

    @property
    def other(self) -> str:
        """The system that stands for its team instead; empty where this one does."""
        row = self.counts
        return row.system if row and row.submission != self.row.submission else ""

    @property
    def changes(self) -> Iterator[tuple[str, ScoreChange]]:
        """Changes from the team's best entry before it, from the leader of the board,
        and from the best baseline."""
        own, sent = self._of_team(self.system.of_team), self.row.received_at
        for text, rows in (
            (
                _("against the team's best before, %(system)s"),
                [row for row in own if row.received_at < sent],
            ),
            (_("against the leader, %(system)s"), self.ranking.rows.ranked(1)),
            (
                _("against the baseline %(system)s"),
                self.ranking.rows.where(BASELINE, 1),
            ),
        ):
            best = self._best(rows)
            change = best and ScoreChange.between(best.sorted_by, self.row.sorted_by)
            if best and change and best.submission != self.row.submission:
                yield text % {"system": best.system}, change

    def _best(self, rows: list[Row]) -> Row | None:
        sign = 1 if self.ranking.measure.higher_is_better else -1
        known = [row for row in rows if row.sorted_by.value is not None]
        return max(
            known, key=lambda row: sign * (row.sorted_by.value or 0.0), default=None
        )


def ranks_of_submission(
    submission: Submission, disclosure: Disclosure
) -> list[SubmissionRank]:
    """Ranks of a submission on the rankings that have it on the reader's board."""
    if not disclosure.board:
        return []
    return [SubmissionRank(system) for system in overviews_of(submission, disclosure)]


def seconds_to_rank(submission: Submission, disclosure: Disclosure) -> int:
    """Seconds after which its rank may be on a ranking of its phase that is of before
    the newest results; 0 where none is."""
    phase = submission.phase
    if not disclosure.board:
        return 0
    boards = (board(query, disclosure) for query in rankings(phase))
    if not any(ranking.newer_wait for ranking in boards):
        return 0
    last = ComputedBoards.objects.filter(phase=phase).first()
    return max(ceil(rest_of(last, timezone.now())), SOONEST)
