"""Boards computed by workers: the phases whose boards are due, and what is computed.

A board is due when something happened to it (`board_version`) and when a moment has
come from which readers see another one. The row `ComputedBoards` is written last: what
a killed worker left is due as before.
"""

import logging
import time
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from leaderboard.boards import board_writer
from leaderboard.boards.query import rankings
from leaderboard.boards.stored_board import RESTS, board
from leaderboard.results.stored_statistics import keep_current, prune, touching
from leaderboard.submissions.models import ComputedBoards
from leaderboard.tasks import policy
from leaderboard.tasks.models import Phase
from leaderboard.web.site_locks import try_lock

log = logging.getLogger(__name__)

MOMENTS = ("freeze_from", "closes", "reveal_at", "extended_until")
RUN_SECONDS = 1.0  # of one job
MOST_REST_SECONDS = 15.0  # nothing else waits for whoever computes boards
FAILED_SECONDS = 60  # until boards that could not be computed are tried again
NO_VERSION = 0  # of boards: their versions count from 1


def compute_due() -> int:
    """Compute boards that are due, as many as there is time for; how many phases."""
    now, until, done = timezone.now(), time.monotonic() + RUN_SECONDS, 0
    for phase in list(due(now).select_related("task", "computed_boards")):
        if not _rests(phase, now):
            done += _computed_alone(phase)
        if time.monotonic() >= until:
            break
    prune()
    board_writer.prune()
    return done


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


def _rests(phase: Phase, now: datetime) -> bool:
    last: ComputedBoards | None = getattr(phase, "computed_boards", None)
    if last is None:
        return False
    pause = RESTS * last.seconds
    if last.version != NO_VERSION:  # else they failed
        pause = min(pause, MOST_REST_SECONDS)
    return now < last.at + timedelta(seconds=pause)


def _computed_alone(phase: Phase) -> bool:
    """Whether this call computed them: not where another worker does."""
    with try_lock(f"boards-of-{phase.pk}") as ours:
        if ours:
            compute_boards(phase)
    return ours


def compute_boards(phase: Phase) -> None:
    """Compute the main boards of a phase for everybody who may see one.

    What fails is logged and tried again after `FAILED_SECONDS`: it must not keep the
    boards of others waiting, and a reader who asks is told.
    """
    at, began = timezone.now(), time.monotonic()
    version, rests = phase.board_version, 0.0
    try:
        with touching() as keys:
            for audience in policy.audiences(phase, at):
                for query in rankings(phase) if audience.board else ():
                    board(query, audience, by_worker=True)
        keep_current(phase, keys)
        board_writer.keep_current(phase, keys)
    except Exception:
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
