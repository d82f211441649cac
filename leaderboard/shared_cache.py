"""What all web processes count together, such as attempts to sign in: Django's cache.

Kept in Redis, and while that does not answer in the memory of each process: limits are
looser then, and nobody is locked out.
"""

import time
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.locmem import LocMemCache
from redis.exceptions import RedisError

from leaderboard.redis_cache import SealedCache

REST_SECONDS = 5.0  # a Redis that did not answer is left alone this long


class SharedCache(BaseCache):
    """`LOCATION` is the address of a Redis; options are those of Django's own."""

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._shared = SealedCache(location, params)
        self._local = LocMemCache("shared", {**params, "OPTIONS": {}})
        self._rests_until = 0.0

    def add(
        self,
        key: str,
        value: Any,
        timeout: Any = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> bool:
        return bool(self._ask(lambda one: one.add(key, value, timeout, version)))

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self._ask(lambda one: one.get(key, default, version))

    def set(
        self,
        key: str,
        value: Any,
        timeout: Any = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> None:
        self._ask(lambda one: one.set(key, value, timeout, version))

    def touch(
        self, key: str, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        return bool(self._ask(lambda one: one.touch(key, timeout, version)))

    def delete(self, key: str, version: int | None = None) -> bool:
        return bool(self._ask(lambda one: one.delete(key, version)))

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """In one step: read and written back, counts of two at a time would be one."""
        return int(self._ask(lambda one: one.incr(key, delta, version)))

    def clear(self) -> None:
        """Only what is ours: the same Redis may have the queues."""
        self._local.clear()
        self._ask(_emptied)

    def _ask(self, question: Callable[[Any], Any]) -> Any:
        if time.monotonic() >= self._rests_until:
            try:
                return question(self._shared)
            except (RedisError, OSError):
                self._rests_until = time.monotonic() + REST_SECONDS
        return question(self._local)


def _emptied(one: BaseCache) -> None:
    if isinstance(one, SealedCache):
        client = one._cache.get_client(None, write=True)
        for key in client.scan_iter(f"{one.key_prefix}:*"):
            client.delete(key)
