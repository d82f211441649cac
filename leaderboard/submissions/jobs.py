"""What Celery runs: an id in, one call, nothing decided here."""

import logging
import time
from datetime import timedelta

import redis
from celery import shared_task
from django.conf import settings
from django.db.models.functions import Now
from kombu.exceptions import OperationalError
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from leaderboard.submissions import (
    collecting,
    evaluation,
    leasing,
    revising,
    turns,
)
from leaderboard.submissions.models import Evaluation

log = logging.getLogger(__name__)
KNOCK_SECONDS = 0.5
QUEUE = "celery"


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


@shared_task(name="submissions.collect")
def collect() -> None:
    """Remove files that no row refers to."""
    collecting.collect()


def dispatch() -> int:
    """Hint what waits, in fair turns, up to the window; how many were hinted.

    The backlog stays in rows, so that the queue is never long, order is decided by the
    database, and losing the queue costs seconds.
    """
    forgotten = timedelta(seconds=settings.HINT_SECONDS)
    room = settings.HINT_WINDOW - turns.outstanding()
    waiting = Evaluation.objects.unhinted(forgotten)
    if room <= 0 or not waiting.exists() or not queue.answers():
        return 0
    room = min(room, queue.room)
    hinted = 0
    for pk in turns.in_turn(waiting, room):
        if not hint(pk):
            break
        hinted += 1
    return hinted


def hint(evaluation_id: int) -> bool:
    """Tell the queue; False when it cannot be reached, which loses nothing."""
    forgotten = timedelta(seconds=settings.HINT_SECONDS)
    untold = Evaluation.objects.unhinted(forgotten).filter(pk=evaluation_id)
    if not untold.update(published_at=Now()):
        return True  # somebody else just told it
    try:
        score.apply_async((evaluation_id,), retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("queue not reached: %s", error)
        queue.rest()
        Evaluation.objects.filter(pk=evaluation_id).update(published_at=None)
        return False
    return True


class Queue:
    """Whether the broker is worth talking to.

    A hung broker takes connections and never answers; finding that out through Celery
    costs an upload many seconds. A question with a short time limit goes first, and
    after a failure nobody asks for a while.
    """

    def __init__(self) -> None:
        self._next = 0.0
        self._link: redis.Redis | None = None
        self._length = 0

    @property
    def room(self) -> int:
        """How many hints more do not pile up before workers that are gone."""
        return max(0, settings.HINT_WINDOW - self._length)

    def answers(self) -> bool:
        if time.monotonic() < self._next:
            return False
        try:
            self._length = self._connection().llen(QUEUE)
            return True
        except (RedisError, OSError) as error:
            log.warning("queue does not answer: %s", error)
            self.rest()
            return False

    def rest(self) -> None:
        self._next = time.monotonic() + settings.QUEUE_REST_SECONDS

    def forget(self) -> None:
        """Connect and ask anew, as if nothing had ever failed."""
        self._next, self._link, self._length = 0.0, None, 0

    def _connection(self) -> redis.Redis:
        if self._link is None:
            self._link = redis.Redis.from_url(
                settings.REDIS_URL,
                socket_timeout=KNOCK_SECONDS,
                socket_connect_timeout=KNOCK_SECONDS,
                retry=Retry(NoBackoff(), 0),
            )
        return self._link


queue = Queue()
