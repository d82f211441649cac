"""The broker, which is only a hint: whether it answers, and how much waits in it."""

import json
import logging
from collections.abc import Mapping
from functools import cached_property
from threading import Lock
from typing import Any, Protocol

import redis
from amqp.exceptions import AMQPError, NotFound
from celery import Signature, Task
from django.conf import settings
from kombu.connection import Connection
from kombu.exceptions import OperationalError
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from leaderboard.celery import LANES, QUEUES, lane_of
from leaderboard.web.cache import CircuitBreaker

log = logging.getLogger(__name__)
KNOCK_SECONDS = 0.5
WATCHED = (*QUEUES, *LANES)
LOOKED_AT = 100  # messages of one list
# What a broker that is away makes of whoever talks to it.
UNREACHABLE = (OperationalError, RedisError, AMQPError, OSError)


class BrokerLink(Protocol):
    def lengths(self) -> Mapping[str, int]:
        """Numbers of messages that nobody took yet, by queue. Raises UNREACHABLE."""

    def has_waiting(self, name: str, task: str) -> bool:
        """Whether a message of that task waits in a queue that is not empty, as far as
        the broker shows them. Raises UNREACHABLE.
        """


class RedisLink:
    def __init__(self, url: str) -> None:
        self._client = redis.Redis.from_url(
            url,
            socket_timeout=KNOCK_SECONDS,
            socket_connect_timeout=KNOCK_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )

    def lengths(self) -> Mapping[str, int]:
        with self._client.pipeline(transaction=False) as asked:
            for name in WATCHED:
                asked.llen(name)
            return dict(zip(WATCHED, asked.execute(), strict=True))

    def has_waiting(self, name: str, task: str) -> bool:
        messages: Any = self._client.lrange(name, 0, LOOKED_AT - 1)
        return any(
            json.loads(message)["headers"]["task"] == task for message in messages
        )


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
                return {name: self._length(name) for name in WATCHED}
            except UNREACHABLE:
                self._broken = True
                raise

    def has_waiting(self, name: str, task: str) -> bool:
        """RabbitMQ shows nobody what waits: a list of this length has one of each."""
        return self.lengths()[name] >= settings.HINT_WINDOW

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


class Broker:
    """A hung broker takes connections and never answers; finding that out through
    Celery costs an upload many seconds. A question with a short time limit goes first,
    and after a failure nobody asks for a while.
    """

    def __init__(self) -> None:
        self._breaker = CircuitBreaker()
        self._link: BrokerLink | None = None
        self._lengths: Mapping[str, int] = {}
        self._missed = False

    def room(self, name: str) -> int:
        """How many messages more do not pile up before workers that are gone."""
        return max(0, settings.HINT_WINDOW - self._lengths.get(name, 0))

    def answers(self) -> bool:
        if self._breaker.open:
            return False
        try:
            self._lengths = self._connect().lengths()
            self._missed = False
            return True
        except UNREACHABLE as error:
            # Once: a command that imports ten tasks need not say it ten times.
            level = logging.DEBUG if self._missed else logging.WARNING
            log.log(level, "queue does not answer: %s", error)
            self._missed = True
            self._link = None
            self.rest()
            return False

    def has_waiting(self, task: str) -> bool:
        """Whether a message of this task, which has no arguments, waits to be taken.

        False where the broker does not answer: who sends the next one finds out.
        """
        queue = lane_of(task)
        if not (self.answers() and self._lengths.get(queue)):
            return False
        try:
            return self._connect().has_waiting(queue, task)
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

    def _connect(self) -> BrokerLink:
        if self._link is None:
            rabbit = settings.RABBIT_URL
            self._link = RabbitLink(rabbit) if rabbit else RedisLink(settings.REDIS_URL)
        return self._link


broker = Broker()


def ask(task: Task | Signature) -> None:
    """Hint that a job has something to do; the clock finds it a little later anyway.

    Where the same hint still waits, that one does.
    """
    if not broker.answers() or broker.has_waiting(str(task.name)):
        return
    try:
        task.apply_async(retry=False)
    except UNREACHABLE as error:
        log.warning("queue not reached: %s", error)
        broker.rest()
