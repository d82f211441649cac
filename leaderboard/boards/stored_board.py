"""Boards as they are stored: workers compute them, and all that ask read their rows.

A reader who finds none asks for it by its row, which a worker takes (`computation`):
the queue only gets a hint.
"""

import time
from dataclasses import replace
from functools import partial
from threading import Semaphore

from django.db import IntegrityError, connection, transaction
from django.db.models import CharField, QuerySet
from django.utils import timezone

from leaderboard.boards.board import Board, board_without_rows
from leaderboard.boards.board_rows import BoardFacts, BoardRows
from leaderboard.boards.entries import ranked_board
from leaderboard.boards.query import BoardQuery, BoardRequest
from leaderboard.boards.stored_rows import StoredRanking, StoredRows
from leaderboard.celery import app
from leaderboard.submissions.broker import ask
from leaderboard.submissions.models import StoredBoard
from leaderboard.tasks.policy import Disclosure
from leaderboard.web.known import once
from leaderboard.web.statements import statement

WAIT_SECONDS = 1.0  # that the first who asks waits for a worker
_waiting = Semaphore(2)  # requests of a process: the others answer at once
LOOK_SECONDS = 0.05
MOST_AWAITED = 200  # boards of a phase that nobody computed yet
READ = (
    *("version", "size", "summary", "asked", "wanted_at"),
    *("phase__board_version", "phase__oldest_board_version"),
)


class NotComputed(Exception):
    """The board is not stored; a worker was asked for it."""


def board(query: BoardQuery, disclosure: Disclosure | None = None) -> Board:
    """The board that a query asks for, as far as it is shown: by default as the public
    sees it now. It may lack the newest results, and nothing else that happened.

    Raises UnknownChoice for a measure, test set, slice, part or level that there is
    not, for what is no date, and for entries that are not shown, and NotComputed for a
    board that a worker has still to compute.
    """
    asked = BoardRequest.of(query, disclosure)
    if not asked.is_stored:
        return _narrow(ranked_board(asked)[0])
    if stored := once(("board", asked.key), partial(_stored_board, asked)):
        return _with_rows(asked, stored)
    raise NotComputed


def newest_board(
    query: BoardQuery, disclosure: Disclosure | None = None, for_readers: bool = False
) -> Board:
    """The same with the newest results, for what is kept, decided or compared by it:
    computed by this process where no worker has yet; `for_readers` one is asked, so
    that the next of them finds it."""
    asked = BoardRequest.of(query, disclosure)
    look_up = _stored_board if for_readers else _current_board
    stored = look_up(asked) if asked.is_stored else None
    if stored is None or not is_newest(stored):
        return _narrow(ranked_board(asked)[0])
    return _with_rows(asked, stored)


def _with_rows(asked: BoardRequest, stored: StoredBoard) -> Board:
    ranking = StoredRanking(stored, asked.revision_id, stored.version)
    board = board_without_rows(asked, ranking.facts)
    rows = StoredRows(board, ranking) if stored.size else board.rows
    return _narrow(replace(board, rows=rows, source=ranking))


def _narrow(board: Board) -> Board:
    """The board with those of its rows that fit the filters and the search."""
    in_all, rows, search = len(board.rows), board.rows, board.query.search
    if search:
        rows = BoardRows(rows.named(search, board.disclosure))
    if board.filters:
        facts = ((row, row.facts) for row in rows)
        fits = [row for row, own in facts if all(f.keeps(own) for f in board.filters)]
        rows = BoardRows(fits)
    return replace(board, rows=rows, in_all=in_all)


def is_valid(stored: StoredBoard) -> bool:
    """Whether a board may be shown: nothing but new results has come since."""
    return bool(stored.summary) and stored.version >= stored.phase.oldest_board_version


def is_newest(stored: StoredBoard) -> bool:
    """Whether another one would say the same, also of changes within a week."""
    if not stored.summary or stored.version < stored.phase.board_version:
        return False
    until = stored.summary["facts"]["until"]
    return until is None or timezone.now().timestamp() < until


def _stored_board(asked: BoardRequest) -> StoredBoard | None:
    """The board as it is stored, if it may be shown; a worker is asked for another
    unless it is the newest."""
    stored = _current_board(asked)
    if stored is not None and is_newest(stored):
        return stored
    if _ask_worker(asked, stored):
        stored = _answer_of_worker(asked)
    return stored if stored and is_valid(stored) else None


def _answer_of_worker(asked: BoardRequest) -> StoredBoard | None:
    """The board as it is stored now, or within WAIT_SECONDS where none may be shown;
    of several boards a request that reads waits no longer."""
    until = once("waits for boards", time.monotonic) + WAIT_SECONDS
    # Inside a transaction nobody sees what others store.
    patient = not connection.in_atomic_block and _waiting.acquire(blocking=False)
    try:
        while True:
            stored = _current_board(asked)
            valid = stored is not None and is_valid(stored)
            if valid or not patient or time.monotonic() >= until:
                return stored
            time.sleep(LOOK_SECONDS)
    finally:
        if patient:
            _waiting.release()


def _current_board(asked: BoardRequest) -> StoredBoard | None:
    return next(iter(_current_boards(key=asked.key)), None)


@statement(key=CharField())
def _current_boards(key: str) -> QuerySet[StoredBoard]:
    boards = StoredBoard.objects.filter(replaced_at=None, key=key)
    return boards.select_related("phase").only(*READ).order_by("pk")


def _ask_worker(asked: BoardRequest, stored: StoredBoard | None) -> bool:
    """Whether this call was the first to ask for the board, or for a newer one.

    Raises UnknownChoice as `board` does.
    """
    now = timezone.now()
    if stored is None:
        boards = StoredBoard.objects.filter(phase=asked.query.phase, replaced_at=None)
        awaited = boards.filter(summary={}).count()
        if not _choices_are_known(asked) or awaited >= MOST_AWAITED:
            return False
        try:
            with transaction.atomic():
                boards.create(
                    phase=asked.query.phase,
                    key=asked.key,
                    choices=asked.choices,
                    wanted_at=now,
                )
        except IntegrityError:
            return False
    else:
        behind = stored.version < stored.phase.board_version
        if is_valid(stored) and behind and not stored.asked:
            return False  # workers add new results to the main boards unasked
        unasked = StoredBoard.objects.filter(pk=stored.pk, wanted_at=None)
        if stored.wanted_at is not None or not unasked.update(wanted_at=now):
            return False
    ask(app.signature("boards.compute"))
    return True


def _choices_are_known(asked: BoardRequest) -> bool:
    """Whether the choices can be looked up yet: slices and levels are those of the
    board without any. Raises UnknownChoice for what there is not."""
    facts = BoardFacts({})
    if asked.query.slice or asked.query.level:
        whole = replace(asked.query, measure="", measures=(), slice="", level="")
        stored = _stored_board(BoardRequest.of(whole, asked.disclosure))
        if stored is None:
            return False
        facts = StoredRanking(stored, asked.revision_id).facts
    board_without_rows(asked, facts)
    return True
