"""Boards as they are stored: computed once for each version, read by all that ask."""

import logging
import time
from dataclasses import replace
from functools import partial
from math import ceil

from django.core.cache import caches
from django.db import DatabaseError
from django.db.models import BigAutoField, CharField, QuerySet
from django.utils import timezone

from leaderboard.boards.board import Board, board_without_rows
from leaderboard.boards.board_rows import BoardFacts, BoardRows
from leaderboard.boards.board_writer import write_board
from leaderboard.boards.entries import ranked_board
from leaderboard.boards.query import BoardQuery, BoardRequest
from leaderboard.boards.rows import Row
from leaderboard.boards.stored_rows import StoredRanking, StoredRows
from leaderboard.results.stored_statistics import (
    known_or_made,
    touch,
    touching,
)
from leaderboard.submissions.models import StoredBoard, Submission
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Disclosure
from leaderboard.web.known import once
from leaderboard.web.statements import statement

log = logging.getLogger(__name__)

RESTS = 20  # times as long as it took; then a busy board is computed again
LONGEST_REST = 60  # seconds
LARGE = 200  # entries; a smaller board is computed sooner than anybody notices
OF_BOARD = (
    *("version", "size", "summary", "asked"),
    *("phase__board_version", "phase__oldest_board_version"),
)


def recent_board(query: BoardQuery, disclosure: Disclosure | None = None) -> Board:
    """The board as readers are shown it: a large one that results keep coming to is
    computed again after it has rested, and lacks the newest until then.

    Nothing else that happens waits. Raises UnknownChoice as `board` does.
    """
    return board(query, disclosure, recent=True)


def board_at_hand(query: BoardQuery, disclosure: Disclosure) -> Board:
    """The board for a page that has other things to show: a large one as it is stored,
    which may lack the newest results.

    Raises NotComputed for a large one that is not stored: workers compute it.
    """
    return board(query, disclosure, recent=True, at_hand=True)


@statement(phase=BigAutoField())
def _large_by(phase: int) -> QuerySet:
    """The one submission that makes a board large, if there are so many."""
    sent = Submission.objects.filter(phase=phase).order_by()
    return sent.values_list("pk")[LARGE - 1 : LARGE]


def board(
    query: BoardQuery,
    disclosure: Disclosure | None = None,
    by_worker: bool = False,
    recent: bool = False,
    at_hand: bool = False,
) -> Board:
    """The board that a query asks for, as far as it is shown; `by_worker` tests it
    however large it is.

    By default as the public sees it now. Raises UnknownChoice for a measure, test
    set, slice, part or level that there is not, for what is no date, and for entries
    that are not shown. `recent` is as `recent_board` gives it, and `at_hand` as
    `board_at_hand` does.
    """
    asked = BoardRequest.of(query, disclosure, by_worker)
    # Of moments there are as many as anybody likes to ask for, and what is scored for a
    # revision in preparation makes no other version of the board.
    stored = asked.disclosure.board and asked.moment is None and asked.revision is None
    board = stored_board(asked, recent, at_hand) if stored else ranked_board(asked)[0]
    in_all = len(board.rows)
    if board.narrowed:
        search, shown = board.query.search, board.disclosure
        named = board.rows.named(search, shown) if search else board.rows
        fitting = [row for row in named if _fits(board, row)]
        board = replace(board, rows=BoardRows(fitting))
    return replace(board, in_all=in_all)


def stored_board(
    asked: BoardRequest, recent: bool = False, at_hand: bool = False
) -> Board:
    """The board with its rows as they are stored, after this call at the latest.

    `at_hand` raises NotComputed in place of computing a large one. What cannot be
    stored is given as it was computed.
    """
    lookup = _BoardLookup(asked, recent, at_hand)
    ranking: StoredRanking | Board = once(
        ("board", lookup.subject.key, recent),
        partial(
            known_or_made,
            lookup.subject,
            lookup.current,
            lookup.compute,
            lookup.earlier,
            lookup.may_compute,
        ),
    )
    if isinstance(ranking, Board):
        return ranking
    board = board_without_rows(asked, ranking.facts)
    if not ranking.size:
        return board
    return replace(board, rows=StoredRows(board, ranking), source=ranking)


class _BoardLookup:
    """Finds one board among those stored, says whether it may be shown, and computes
    another. `earlier` may be shown while that is done."""

    def __init__(self, asked: BoardRequest, recent: bool, at_hand: bool) -> None:
        self.asked, self.recent, self.at_hand = asked, recent, at_hand
        self.subject = asked.subject()
        self.earlier: list[StoredRanking | Board] = []
        self.week_over = False
        self.replaced: StoredBoard | None = None  # by the one that is made

    def current(self) -> StoredRanking | None:
        self.earlier.clear()  # what was found by the last look may be untrue by now
        stored = next(iter(_current_boards(key=self.subject.key)), None)
        self.replaced = stored
        if stored is None:
            return None
        ranking = StoredRanking.of(stored, self.asked.revision_id)
        facts, version = ranking.facts, stored.version
        until = facts.until
        self.week_over = until is not None and timezone.now().timestamp() >= until
        # A reader may have been the first, and has stored it without tests.
        untested = self.asked.by_worker and facts.many
        too_old = version < stored.phase.oldest_board_version
        if too_old or self.week_over or untested:
            return None
        if version == stored.phase.board_version or self._rests(facts, stored.asked):
            touch(*stored.summary["statistics"])
            return ranking
        if self.recent:
            self.earlier.append(ranking)
        return None

    def _rests(self, facts: BoardFacts, for_reader: bool) -> bool:
        """Whether newer results have to wait: workers test a large board, and readers
        keep what they have until then."""
        if not self.recent:
            return False
        by_workers = facts.many and not for_reader
        return by_workers or caches["boards"].get(self._resting) is not None

    @property
    def _resting(self) -> str:
        return f"{self.subject.key}-rests"

    def may_compute(self) -> bool:
        # Workers are not told of a board that only a week passing makes invalid.
        phase = self.asked.query.phase.pk
        return not self.at_hand or self.week_over or not _large_by(phase=phase)

    def compute(self) -> StoredRanking | Board:
        of_phase = Phase.objects.filter(pk=self.asked.query.phase.pk)
        # Read first: what happens from here on makes it another version.
        version = of_phase.values_list("board_version", flat=True).get()
        began = time.monotonic()
        with touching() as keys:
            board, entries = ranked_board(self.asked)
            _ = board.source.facts  # its statistics are noted, too
        if len(entries.entries) >= LARGE:
            rest = RESTS * (time.monotonic() - began)
            caches["boards"].set(self._resting, 1, min(ceil(rest), LONGEST_REST))
        try:
            return self._written(version, board, sorted(keys))
        except DatabaseError as error:
            log.warning("a board was not stored: %s", error)
            return board

    def _written(
        self, version: int, board: Board, statistics: list[str]
    ) -> StoredRanking:
        stored = write_board(self.subject, version, board, statistics, self.replaced)
        return StoredRanking.of(stored, self.asked.revision_id)


@statement(key=CharField())
def _current_boards(key: str) -> QuerySet[StoredBoard]:
    boards = StoredBoard.objects.filter(replaced_at=None, key=key)
    return boards.select_related("phase").only(*OF_BOARD).order_by("pk")


def _fits(board: Board, row: Row) -> bool:
    """Whether the filters by fact sheet leave the row on the board."""
    return all(condition.keeps(row.facts) for condition in board.filters)
