"""What Celery runs: an id in, one call, nothing decided here."""

import logging
from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.db.models.functions import Now
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from leaderboard.submissions import evaluation
from leaderboard.submissions.models import Evaluation, State

log = logging.getLogger(__name__)


@shared_task(name="submissions.score")
def score(evaluation_id: int) -> None:
    """Score one evaluation if it is still waiting."""
    evaluation.run(evaluation_id)
    dispatch()


@shared_task(name="submissions.sweep")
def sweep() -> None:
    """Free what is stuck and tell the queue about what waits."""
    evaluation.reap()
    dispatch()


def hint(evaluation_id: int) -> bool:
    """Tell the queue; False when it cannot be reached, which loses nothing."""
    waiting = Evaluation.objects.filter(pk=evaluation_id, state=State.QUEUED)
    if not waiting.exists() or _outstanding() >= settings.HINT_WINDOW:
        return False
    try:
        score.apply_async((evaluation_id,), retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("queue not reached: %s", error)
        return False
    waiting.update(published_at=Now())
    return True


def _outstanding() -> int:
    """Hints that the queue may still hold."""
    fresh = Now() - timedelta(seconds=settings.HINT_SECONDS)
    return Evaluation.objects.filter(
        state=State.QUEUED, published_at__gte=fresh
    ).count()


def dispatch() -> None:
    """Hint what waits, oldest first, up to the window; the backlog stays in rows."""
    forgotten = timedelta(seconds=settings.HINT_SECONDS)
    waiting = Evaluation.objects.unhinted(forgotten).order_by("created_at")
    for pk in list(waiting.values_list("pk", flat=True)[: settings.HINT_WINDOW]):
        if not hint(pk):
            return
