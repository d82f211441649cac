"""Rows of a reader's own teams on a board, by the ids of their submissions."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import BigAutoField, QuerySet
from django.http import HttpRequest

from leaderboard.boards.board import Board
from leaderboard.boards.render import PER_PAGE
from leaderboard.boards.rows import Row
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Reader
from leaderboard.web.statements import statement


def own_submissions(request: HttpRequest, phase: Phase) -> list[str]:
    """Ids of the submissions to a phase by the teams of whoever asks.

    One query, none for anonymous readers.
    """
    if not request.user.is_authenticated:
        return []
    return [str(key) for key in _own(person=request.user.pk, phase=phase.pk)]


@statement(person=BigAutoField(), phase=BigAutoField())
def _own(person: int, phase: int) -> QuerySet:
    own = Submission.objects.by_person(Reader(person, True, False))
    return own.filter(phase=phase).values_list("pk", flat=True)


@dataclass(frozen=True)
class OwnRank:
    """The best ranked row of the reader's teams: `of_all` rows have a rank, and `page`
    is the page of the board that it stands on, None for the first."""

    row: Row
    of_all: int
    page: int | None

    @property
    def range(self) -> str:
        """The range of the rank where it is more than the rank itself."""
        rank_range = self.row.rank_range
        return "" if rank_range == str(self.row.rank) else rank_range


def own_rank(board: Board, own: Collection[str]) -> OwnRank | None:
    """None where no ranked row is one of the reader's `own` submissions."""
    best = board.best_of(own)
    if best is None:
        return None
    place, row = best
    page = place // PER_PAGE + 1 if place >= PER_PAGE else None
    return OwnRank(row, board.summary.ranked, page)
