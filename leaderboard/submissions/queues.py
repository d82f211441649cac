"""Whether the broker is worth talking to, and how long its queues are."""

import logging
import time
from collections.abc import Mapping
from functools import cached_property
from threading import Lock
from typing import Any, Protocol

import redis
from amqp.exceptions import AMQPError, NotFound
from django.conf import settings
from kombu import Connection
from kombu.exceptions import OperationalError
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from leaderboard.brokers import QUEUES

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
        self._next = 0.0
        self._link: Link | None = None
        self._lengths: Mapping[str, int] = {}

    def room(self, name: str) -> int:
        """How many hints more do not pile up before workers that are gone."""
        return max(0, settings.HINT_WINDOW - self._lengths.get(name, 0))

    def answers(self) -> bool:
        if time.monotonic() < self._next:
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
        self._next = time.monotonic() + settings.QUEUE_REST_SECONDS

    def forget(self) -> None:
        """Connect and ask anew, as if nothing had ever failed."""
        self._next, self._link, self._lengths = 0.0, None, {}

    def _connected(self) -> Link:
        if self._link is None:
            rabbit = settings.RABBIT_URL
            self._link = RabbitLink(rabbit) if rabbit else RedisLink(settings.REDIS_URL)
        return self._link
