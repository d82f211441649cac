"""Rank of one submission, and what it changed for its team."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.entries import board_entries
from leaderboard.boards.query import BoardQuery, rankings
from leaderboard.boards.rows import Row
from leaderboard.results.score_progress import ScoreChange
from leaderboard.submissions.models import Submission
from leaderboard.tasks.policy import Disclosure


@dataclass(frozen=True)
class SubmissionRank:
    """`row` is the line of the submission; `entries` are those of its team and the
    baselines, as far as its reader is shown them. `ranking` is the board itself, on
    which another entry of the team may stand."""

    row: Row
    entries: Sequence[Row]
    ranking: Board

    @property
    def test_set(self) -> str:
        """The test set that it is the ranking of, where each has one of its own."""
        own = self.ranking.test_set
        return own.title if own is not None else ""

    @property
    def counts(self) -> Row | None:
        """The row of its team, or of the baseline, on the board."""
        same = (row for row in self.ranking.rows if _same_team(row, self.row))
        return next(same, None)

    @property
    def rank(self) -> str:
        """The rank of its team in a sentence; empty where it has none."""
        row = self.counts
        if row is None or row.rank is None:
            return ""
        of_all = sum(other.ranked for other in self.ranking.rows)
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
        """From the team's best entry before it, from the leader of the board, and from
        the best baseline."""
        mine = [row for row in self.entries if _same_team(row, self.row)]
        before = [row for row in mine if row.received_at < self.row.received_at]
        baselines = [row for row in self.entries if row.baseline]
        leaders = self.ranking.ranked_rows(1)
        for text, rows in (
            (_("against the team's best before, %(system)s"), before),
            (_("against the leader, %(system)s"), leaders),
            (_("against the baseline %(system)s"), baselines),
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


def _same_team(row: Row, other: Row) -> bool:
    return row.evaluation.stands_for == other.evaluation.stands_for


def ranks_of_submission(
    submission: Submission, disclosure: Disclosure
) -> list[SubmissionRank]:
    """Its rank on each ranking of its phase that has it on the reader's board."""
    if not disclosure.board:
        return []
    found = (
        _rank_on(query, submission, disclosure) for query in rankings(submission.phase)
    )
    return [rank for rank in found if rank is not None]


def _rank_on(
    query: BoardQuery, submission: Submission, disclosure: Disclosure
) -> SubmissionRank | None:
    entries = board_entries(query, disclosure)
    own = entries.row_of(submission)
    if own is None:
        return None
    rows = [
        entries.row(place)
        for place in entries.shown_places
        if entries.entries[place].baseline
        or entries.entries[place].stands_for == own.evaluation.stands_for
    ]
    ranking = entries.ranked(entries.one_each)
    return SubmissionRank(own, rows, ranking)
