"""Boards written into tables: all rows under a new board, which then becomes current.

Whoever reads meanwhile reads the one before, and what a killed worker leaves half is
never current.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from datetime import timedelta
from itertools import islice
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from leaderboard.boards.board import Board
from leaderboard.boards.rows import Row
from leaderboard.results.stored_statistics import Subject, oldest_beyond
from leaderboard.submissions.models import BoardRow, StoredBoard
from leaderboard.tasks.models import Phase
from scoring.statistics.ranks import SystemRank

AT_ONCE = 2000  # rows of one statement: nobody waits for more to be written
KEPT = timedelta(minutes=1)  # a board that was replaced, for whoever reads it still
MOST_ASKED = 200_000  # rows of boards that were computed for readers
OF_RANK = tuple(field.name for field in fields(SystemRank) if field.name != "rank")
COLUMNS = (
    *("board", "place", "evaluation", "team", "rank", *OF_RANK),
    *("in_family", "sent_all", "moved", "change", "numbers"),
)


def write_board(
    subject: Subject,
    version: int,
    board: Board,
    statistics: Sequence[str],
    replaced: StoredBoard | None,
) -> StoredBoard:
    """Write the rows of a board and make it the current one of its subject.

    `statistics` are the keys of what it was computed from, and `replaced` is the board
    that is current yet. Raises DatabaseError where it cannot be written, or somebody
    else has written one in the same moment.
    """
    stored = StoredBoard.objects.create(
        phase=subject.phase,
        key=subject.key,
        version=version,
        size=len(board.rows),
        summary={
            "facts": asdict(board.source.facts),
            "rows": asdict(board.rows.summary),
            "statistics": statistics,
        },
        history=board.source.history._asdict(),
        asked=replaced is None or replaced.asked,
        replaced_at=timezone.now(),  # not current yet
    )
    family = frozenset(row.pk for row in board.family)
    values = _values(stored.pk, board.rows, family)
    while some := list(islice(values, AT_ONCE)):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(_insert(), some)
    boards = StoredBoard.objects.filter(key=subject.key)
    with transaction.atomic():
        if replaced is not None:
            boards.filter(replaced_at=None).update(replaced_at=timezone.now())
        boards.filter(pk=stored.pk).update(replaced_at=None)
    return stored


def _insert() -> str:
    known = {field.name: field.attname for field in BoardRow._meta.concrete_fields}
    columns = ", ".join(connection.ops.quote_name(known[name]) for name in COLUMNS)
    table = connection.ops.quote_name(BoardRow._meta.db_table)
    places = ", ".join(["%s"] * len(COLUMNS))
    return f"INSERT INTO {table} ({columns}) VALUES ({places})"


def _values(
    board: int, rows: Sequence[Row], family: frozenset[int]
) -> Iterator[tuple[Any, ...]]:
    """The values of each row, in the order of COLUMNS."""
    for place, row in enumerate(rows):
        evaluation, change = row.evaluation, row.change
        yield (
            board,
            place,
            evaluation.pk,
            evaluation.participation_id,
            row.rank,
            *(getattr(row.standing, name) for name in OF_RANK),
            evaluation.pk in family,
            row.complete,
            change is not None,
            None if change is None else change.places,
            row.by_measure.packed(),
        )


def keep_current(phase: Phase, keys: set[str]) -> None:
    """These keys are those of the phase's boards as they stand; earlier ones go."""
    boards = StoredBoard.objects.filter(phase=phase, replaced_at=None)
    boards.filter(key__in=keys, asked=True).update(asked=False)
    others = boards.filter(asked=False).exclude(key__in=keys)
    others.update(replaced_at=timezone.now())


def prune() -> int:
    """Delete boards that were replaced a while ago, and the oldest of those computed
    for readers beyond MOST_ASKED rows; how many."""
    asked = StoredBoard.objects.filter(asked=True, replaced_at=None)
    if old := oldest_beyond(asked, MOST_ASKED):
        asked.filter(pk__in=old).update(replaced_at=timezone.now())
    gone = StoredBoard.objects.filter(replaced_at__lt=timezone.now() - KEPT)
    gone.delete()
    return len(old)
