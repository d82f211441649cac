"""What Celery runs: an id in, one call, nothing decided here."""

import logging
from datetime import timedelta

from celery import Task, shared_task
from django.conf import settings
from django.db.models.functions import Now

from leaderboard.submissions import (
    collecting,
    evaluation,
    leasing,
    revising,
    summaries,
    turns,
)
from leaderboard.submissions.models import Evaluation, EvaluationQuerySet
from leaderboard.submissions.queues import UNREACHABLE, Queues
from leaderboard.submissions.weighing import queue_of

log = logging.getLogger(__name__)
queue = Queues()


@shared_task(name="submissions.score")
def score(evaluation_id: int) -> None:
    """Score one evaluation if it is still waiting, or what is more urgent."""
    evaluation.run(turns.instead_of(evaluation_id))
    # Here too and not only on the clock: a lost scheduler must not stop the queue.
    sweep()


@shared_task(name="submissions.sweep")
def sweep() -> None:
    """Free what is stuck and tell the queue about what waits."""
    leasing.reap()
    revising.upkeep()
    dispatch()
    summaries.upkeep()


@shared_task(name="submissions.collect")
def collect() -> None:
    """Remove files that no row refers to."""
    collecting.collect()


def ask(task: Task) -> None:
    """Hint that a job has something to do; the clock finds it a little later anyway."""
    if not queue.answers():
        return
    try:
        task.apply_async(retry=False)
    except UNREACHABLE as error:
        log.warning("queue not reached: %s", error)
        queue.rest()


def dispatch() -> int:
    """Hint what waits, in fair turns, up to the window; how many were hinted.

    The backlog stays in rows, so that no queue is ever long, order is decided by the
    database, and losing the queues costs seconds. Each has a window of its own: what is
    heavy fills only that of the heavy.
    """
    waiting = {heavy: _untold().filter(heavy=heavy) for heavy in (False, True)}
    room = {heavy: settings.HINT_WINDOW - turns.outstanding(heavy) for heavy in waiting}
    open_to = [h for h, rows in waiting.items() if room[h] > 0 and rows.exists()]
    if not open_to or not queue.answers():
        return 0
    hinted = 0
    for heavy in open_to:
        most = min(room[heavy], queue.room(queue_of(heavy)))
        for pk in turns.in_turn(waiting[heavy], most, heavy=heavy):
            if not hint(pk, heavy):
                return hinted
            hinted += 1
    return hinted


def _untold() -> EvaluationQuerySet:
    return Evaluation.objects.unhinted(timedelta(seconds=settings.HINT_SECONDS))


def hint(evaluation_id: int, heavy: bool = False) -> bool:
    """Tell the queue; False when it cannot be reached, which loses nothing."""
    if not _untold().filter(pk=evaluation_id).update(published_at=Now()):
        return True  # somebody else just told it
    try:
        score.apply_async((evaluation_id,), retry=False, queue=queue_of(heavy))
    except UNREACHABLE as error:
        log.warning("queue not reached: %s", error)
        queue.rest()
        Evaluation.objects.filter(pk=evaluation_id).update(published_at=None)
        return False
    return True
