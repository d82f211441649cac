"""Boards written into tables: all rows under a new board, which then becomes current.

Whoever reads meanwhile reads the one before, and what a killed worker leaves half is
never current.
"""

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, fields
from datetime import timedelta
from itertools import islice
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from leaderboard.boards.board import Board
from leaderboard.boards.query import BoardRequest
from leaderboard.boards.rows import Row
from leaderboard.results.stored_statistics import oldest_beyond
from leaderboard.submissions.models import BoardRow, StoredBoard
from leaderboard.tasks.models import Phase
from scoring.statistics.ranks import SystemRank

AT_ONCE = 2000  # rows of one statement: nobody waits for more to be written
KEPT = timedelta(minutes=1)  # a board that was replaced, for whoever reads it still
ASKED_FOR = timedelta(days=1)  # a board that was computed for readers is kept
MOST_ASKED = 200_000  # rows of boards that were computed for readers
OF_RANK = tuple(field.name for field in fields(SystemRank) if field.name != "rank")
COLUMNS = (
    *("board", "place", "evaluation", "team", "rank", *OF_RANK),
    *("in_family", "sent_all", "moved", "change", "numbers"),
)


def write_board(asked: BoardRequest, board: Board, began: float) -> None:
    """Write the rows of a board that was begun at that time, and make it the current
    one of its key. One worker at a time writes boards of a phase."""
    current = StoredBoard.objects.filter(key=asked.key, replaced_at=None)
    stored = StoredBoard.objects.create(
        phase=asked.query.phase,
        key=asked.key,
        choices=asked.choices,
        # Read before all else: what happened since makes it another version.
        version=asked.query.phase.board_version,
        size=len(board.rows),
        summary={
            "facts": asdict(board.source.facts),
            "rows": asdict(board.rows.summary),
            "seconds": time.monotonic() - began,
        },
        history=board.source.history._asdict(),
        asked=all(current.values_list("asked", flat=True)),
        replaced_at=timezone.now(),  # not current yet
    )
    family = frozenset(row.pk for row in board.family)
    values = _values(stored.pk, board.rows, family)
    while some := list(islice(values, AT_ONCE)):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(_insert(), some)
    with transaction.atomic():
        current.update(replaced_at=timezone.now())
        StoredBoard.objects.filter(pk=stored.pk).update(replaced_at=None)


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


def keep_current(phase: Phase, keys: Collection[str]) -> None:
    """These keys are those of the phase's main boards as they stand; earlier ones
    go."""
    boards = StoredBoard.objects.filter(phase=phase, replaced_at=None)
    boards.filter(key__in=keys, asked=True).update(asked=False)
    others = boards.filter(asked=False).exclude(key__in=keys)
    others.update(replaced_at=timezone.now())


def prune() -> int:
    """Delete boards that were replaced a while ago, and those computed for readers that
    are a day old or, the oldest first, beyond MOST_ASKED rows; how many."""
    now = timezone.now()
    asked = StoredBoard.objects.filter(asked=True, replaced_at=None)
    number = asked.filter(at__lt=now - ASKED_FOR).update(replaced_at=now)
    if old := oldest_beyond(asked, MOST_ASKED):
        number += asked.filter(pk__in=old).update(replaced_at=now)
    StoredBoard.objects.filter(replaced_at__lt=now - KEPT).delete()
    return number
