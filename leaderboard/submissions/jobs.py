"""Celery jobs of submissions, and the hints that tell the queue what waits."""

import logging
from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property
from threading import Lock
from typing import Any, Protocol

import redis
from amqp.exceptions import AMQPError, NotFound
from celery import Task, shared_task
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from kombu import Connection
from kombu.exceptions import OperationalError
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from leaderboard.celery import QUEUES
from leaderboard.submissions import evaluation, garbage_collection, leases, scheduling
from leaderboard.submissions.gold import rescore
from leaderboard.submissions.models import Evaluation, EvaluationQuerySet, Submission
from leaderboard.submissions.scheduling import queue_of
from leaderboard.teams.models import User
from leaderboard.web.cache import CircuitBreaker

log = logging.getLogger(__name__)
KNOCK_SECONDS = 0.5
# What a broker that is away makes of whoever talks to it.
UNREACHABLE = (OperationalError, RedisError, AMQPError, OSError)


class Link(Protocol):
    def lengths(self) -> Mapping[str, int]:
        """Of each queue: the hints that nobody took yet. Raises UNREACHABLE."""


class RedisLink:
    def __init__(self, url: str) -> None:
        self._client = redis.Redis.from_url(
            url,
            socket_timeout=KNOCK_SECONDS,
            socket_connect_timeout=KNOCK_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )

    def lengths(self) -> Mapping[str, int]:
        return {name: self._client.llen(name) for name in QUEUES}


class RabbitLink:
    """A connection of its own: threads take turns at it."""

    def __init__(self, url: str) -> None:
        limits = {"read_timeout": KNOCK_SECONDS, "write_timeout": KNOCK_SECONDS}
        self._lock, self._broken = Lock(), False
        self._broker = Connection(
            url, connect_timeout=KNOCK_SECONDS, transport_options=limits
        )

    def lengths(self) -> Mapping[str, int]:
        with self._lock:
            if self._broken:  # whoever waited need not find out again
                raise ConnectionResetError("it broke a moment ago")
            try:
                return {name: self._length(name) for name in QUEUES}
            except UNREACHABLE:
                self._broken = True
                raise

    @cached_property
    def _connection(self) -> Any:
        """Past kombu's own way, which waits for seconds and tries again."""
        return self._broker.transport.establish_connection()

    def _length(self, name: str) -> int:
        with self._connection.channel() as channel:
            try:
                return int(channel.queue_declare(name, passive=True).message_count)
            except NotFound:
                return 0  # nobody has told it anything, and nobody listens


class Queues:
    """A hung broker takes connections and never answers; finding that out through
    Celery costs an upload many seconds. A question with a short time limit goes first,
    and after a failure nobody asks for a while.
    """

    def __init__(self) -> None:
        self._breaker = CircuitBreaker()
        self._link: Link | None = None
        self._lengths: Mapping[str, int] = {}

    def room(self, name: str) -> int:
        """How many hints more do not pile up before workers that are gone."""
        return max(0, settings.HINT_WINDOW - self._lengths.get(name, 0))

    def answers(self) -> bool:
        if self._breaker.open:
            return False
        try:
            self._lengths = self._connected().lengths()
            return True
        except UNREACHABLE as error:
            log.warning("queue does not answer: %s", error)
            self._link = None
            self.rest()
            return False

    def rest(self) -> None:
        self._breaker.trip(settings.QUEUE_REST_SECONDS)

    def forget(self) -> None:
        """Connect and ask anew, as if nothing had ever failed."""
        self._breaker.reset()
        self._link, self._lengths = None, {}

    def _connected(self) -> Link:
        if self._link is None:
            rabbit = settings.RABBIT_URL
            self._link = RabbitLink(rabbit) if rabbit else RedisLink(settings.REDIS_URL)
        return self._link


queue = Queues()


@shared_task(name="submissions.score")
def score(evaluation_id: int) -> None:
    """Score one evaluation if it is still waiting, or what is more urgent."""
    evaluation.run(scheduling.instead_of(evaluation_id))
    # Here too and not only on the clock: a lost scheduler must not stop the queue.
    sweep()


@shared_task(name="submissions.sweep")
def sweep() -> None:
    """Free what is stuck and tell the queue about what waits."""
    leases.reap()
    rescore.upkeep()
    dispatch()
    evaluation.summarise_outdated()


@shared_task(name="submissions.collect")
def collect() -> None:
    """Remove files that no row refers to."""
    garbage_collection.collect()


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
    room = {
        heavy: settings.HINT_WINDOW - scheduling.outstanding(heavy) for heavy in waiting
    }
    open_to = [h for h, rows in waiting.items() if room[h] > 0 and rows.exists()]
    if not open_to or not queue.answers():
        return 0
    hinted = 0
    for heavy in open_to:
        most = min(room[heavy], queue.room(queue_of(heavy)))
        for pk in scheduling.in_turn(waiting[heavy], most, heavy=heavy):
            if not hint(pk, heavy):
                return hinted
            hinted += 1
    return hinted


def dispatch_after_commit() -> None:
    # Robust: what is committed is accepted, whatever becomes of the hint.
    transaction.on_commit(dispatch, robust=True)


def enqueue(
    submission: Submission, why: str = "accepted", actor: User | None = None
) -> Evaluation:
    """Create a submission's evaluations, and tell the queue after commit."""
    evaluation = scheduling.evaluate(submission, why, actor)
    dispatch_after_commit()
    return evaluation


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
