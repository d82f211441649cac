"""Boards computed by workers: those that readers asked for, and the main boards of the
phases that are due.

A phase is due when something happened to its boards (`board_version`) and when a moment
has come from which readers see others. The row `ComputedBoards` is written last, and
what a reader asked for stays asked until it is stored: what a killed worker left is due
as before.
"""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from leaderboard.boards import board_writer
from leaderboard.boards.entries import ranked_board
from leaderboard.boards.query import (
    BoardQuery,
    BoardRequest,
    UnknownChoice,
    rankings,
)
from leaderboard.boards.stored_board import is_newest, is_valid
from leaderboard.results import stored_statistics
from leaderboard.submissions.models import ComputedBoards, StoredBoard
from leaderboard.tasks import policy
from leaderboard.tasks.models import GoldRevision, Phase
from leaderboard.web.site_locks import try_lock

log = logging.getLogger(__name__)

MOMENTS = ("freeze_from", "closes", "reveal_at", "extended_until")
RUN_SECONDS = 1.0  # of one job, for either kind
RESTS = 20  # times as long as it took; then a board is computed again
MOST_REST_SECONDS = 15.0  # nothing else waits for whoever computes boards
KILLED_SECONDS = 15  # until a board whose worker ended is computed by another
FAILED_SECONDS = 60  # until boards that could not be computed are tried again
NO_VERSION = 0  # of boards: their versions count from 1


def compute_due() -> int:
    """Compute boards that were asked for, and those of phases that are due, as many as
    there is time for; how many phases."""
    now, done = timezone.now(), 0
    compute_wanted(now)
    until = time.monotonic() + RUN_SECONDS
    for phase in list(due(now).select_related("task", "computed_boards")):
        if rest_of(getattr(phase, "computed_boards", None), now) <= 0:
            done += _alone(phase.pk, partial(compute_boards, phase))
        if time.monotonic() >= until:
            break
    stored_statistics.prune()
    board_writer.prune()
    return done


def compute_wanted(now: datetime) -> None:
    """Compute boards that readers asked for by now, the first asked first."""
    until = time.monotonic() + RUN_SECONDS
    wanted = StoredBoard.objects.filter(wanted_at__lte=now, replaced_at=None)
    for stored in wanted.select_related("phase__task").order_by("wanted_at"):
        if not (is_valid(stored) and _rests_alone(stored, now)):
            _alone(stored.phase_id, partial(_compute_for_readers, stored))
        if time.monotonic() >= until:
            break


def _compute_for_readers(stored: StoredBoard) -> None:
    """Compute another board of the same key; nobody who may see it has that key any
    more where a moment has passed.

    What fails is logged and tried again after `FAILED_SECONDS`, and after a kill
    `KILLED_SECONDS` later: others come first.
    """
    current = StoredBoard.objects.filter(pk=stored.pk, replaced_at=None)
    current.update(wanted_at=timezone.now() + timedelta(seconds=KILLED_SECONDS))
    try:
        if asked := _request_for(stored):
            _compute(asked)
        else:
            current.update(replaced_at=timezone.now())
    except UnknownChoice:  # there was such a slice when it was asked for
        current.update(replaced_at=timezone.now())
    except Exception:  # of one board: the others are computed all the same
        log.exception("a board of phase %s cannot be computed", stored.phase_id)
        again = timezone.now() + timedelta(seconds=FAILED_SECONDS)
        current.update(wanted_at=again)


def _request_for(stored: StoredBoard) -> BoardRequest | None:
    """The request of the audience whose board has that key; None where none has."""
    phase, choices = stored.phase, dict(stored.choices)
    if revision := choices.pop("revision", None):
        revisions = GoldRevision.objects.filter(pk=revision, task=phase.task_id)
        choices["revision"] = revisions.first()
    choices["measures"] = tuple(choices.get("measures", ()))
    for audience in policy.audiences(phase, timezone.now()):
        try:
            asked = BoardRequest.of(BoardQuery(phase, **choices), audience, True)
        except UnknownChoice:
            continue
        if asked.key == stored.key:
            return asked
    return None


def _compute(asked: BoardRequest) -> None:
    began = time.monotonic()
    board, _entries = ranked_board(asked)
    board_writer.write_board(asked, board, began)


def due(now: datetime) -> QuerySet[Phase]:
    """Phases whose boards are others than those computed last, longest due first."""
    never = Q(computed_boards=None, board_version__gt=0)
    known = Q(computed_boards__isnull=False)
    changed = known & ~Q(board_version=F("computed_boards__version"))
    passed = Q()
    for moment in MOMENTS:
        since = {f"{moment}__gt": F("computed_boards__at"), f"{moment}__lte": now}
        passed |= Q(**since)
    return Phase.objects.filter(never | changed | passed).order_by(
        F("computed_boards__at").asc(nulls_first=True), "pk"
    )


def rest_of(last: ComputedBoards | None, now: datetime) -> float:
    """Seconds that the boards of a phase still rest; 0 and less where they do not."""
    if last is None:
        return 0.0
    pause = RESTS * last.seconds
    if last.version != NO_VERSION:  # else they failed
        pause = min(pause, MOST_REST_SECONDS)
    return pause - (now - last.at).total_seconds()


def _rests_alone(stored: StoredBoard, now: datetime) -> bool:
    pause = min(RESTS * stored.summary["seconds"], MOST_REST_SECONDS)
    return now < stored.at + timedelta(seconds=pause)


def _alone(phase: int, compute: Callable[[], None]) -> bool:
    """Whether this call computed it: not where another worker computes boards of the
    phase."""
    with try_lock(f"boards-of-{phase}") as ours:
        if ours:
            compute()
    return ours


def compute_boards(phase: Phase) -> None:
    """Compute the main boards of a phase for everybody who may see one.

    What fails is logged and tried again after `FAILED_SECONDS`: it must not keep the
    boards of others waiting, and a reader who asks is told.
    """
    at, began = timezone.now(), time.monotonic()
    version, rests = phase.board_version, 0.0
    try:
        requests = [
            BoardRequest.of(query, audience, by_worker=True)
            for audience in policy.audiences(phase, at)
            for query in (rankings(phase) if audience.board else ())
        ]
        current = StoredBoard.objects.filter(replaced_at=None).select_related("phase")
        for asked in requests:
            stored = current.filter(key=asked.key).first()
            if stored is None or not is_newest(stored):
                _compute(asked)
        board_writer.keep_current(phase, {asked.key for asked in requests})
    except Exception:  # of one phase: the others are computed all the same
        log.exception("boards of phase %s cannot be computed", phase.pk)
        version, rests = NO_VERSION, FAILED_SECONDS / RESTS
    ComputedBoards.objects.update_or_create(
        phase=phase,
        defaults={
            "version": version,
            "at": at,
            "seconds": max(time.monotonic() - began, rests),
        },
    )
