"""Caches: in a Redis that is not trusted, shared by processes, of what was used last.

Django pickles, and whoever writes to that Redis could run code here. These values are
JSON, bytes included, behind a keyed hash of key and value: what this site did not
write under that very key is as good as not there. Someone who holds the Redis can bring
back an older value of the same key, or drop it.
"""

import base64
import hmac
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property
from hashlib import blake2b
from threading import Lock
from typing import Any, Generic, TypeVar, cast

from django.conf import settings
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError

REST_SECONDS = 5.0  # a Redis that did not answer is left alone this long
LOST = (RedisError, OSError)
SEAL_BYTES = 32
MOST_BYTES = 32 << 20  # larger ones are not read
BYTES = "bytes:base64"
# Types that come back as they were, and numbers that do not.
PLAIN = {str, int, float, bool, bytes, type(None)}
NO_JSON = (float("inf"), float("-inf"))


Cached = TypeVar("Cached")
Name = TypeVar("Name", bound=Hashable)


class CircuitBreaker:
    """Leaves a service that did not answer alone for a while."""

    def __init__(self) -> None:
        self.rests_until = 0.0

    @property
    def open(self) -> bool:
        """Whether the service is left alone just now."""
        return time.monotonic() < self.rests_until

    def trip(self, seconds: float | None = None) -> None:
        self.rests_until = time.monotonic() + (
            REST_SECONDS if seconds is None else seconds
        )

    def reset(self) -> None:
        self.rests_until = 0.0


class SealedCache(RedisCache):
    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = SealedClient


class SealedClient(RedisCacheClient):
    """A client of Redis that seals its values; whole numbers stay bare, as `incr` needs
    them, and `get` is blind to them."""

    def add(self, key: Any, value: Any, timeout: Any) -> bool:
        packed = value if type(value) is int else seal_value(key, value)
        client = self.get_client(key, write=True)
        if timeout == 0:
            return not client.exists(key)
        return bool(client.set(key, packed, ex=timeout, nx=True))

    def get(self, key: Any, default: Any = None) -> Any:
        # A part of it, for a value can be half a gigabyte.
        data = cast(bytes, self.get_client(key).getrange(key, 0, MOST_BYTES))
        return open_value(key, data, default)

    def set(self, key: Any, value: Any, timeout: Any) -> None:
        client = self.get_client(key, write=True)
        if timeout == 0:
            client.delete(key)
        else:
            client.set(key, seal_value(key, value), ex=timeout)

    def get_many(self, keys: Iterable[Any]) -> dict[Any, Any]:
        missing = object()
        values = {key: self.get(key, missing) for key in keys}
        return {key: value for key, value in values.items() if value is not missing}

    def set_many(self, data: Mapping[Any, Any], timeout: Any) -> None:
        for key, value in data.items():
            self.set(key, value, timeout)


class NotCacheable(TypeError):
    """A value that the cache would not give back as it was."""


def check_plain(value: Any, place: str = "the value") -> None:
    """Raises NotCacheable for what JSON changes: a tuple comes back as a list, a
    subclass of `str` or `int` as its base, a key that is no text as text.
    """
    if type(value) is list:
        for item in value:
            check_plain(item, f"an item of {place}")
    elif type(value) is dict:
        for name, item in value.items():
            if type(name) is not str or name == BYTES:
                raise NotCacheable(f"{name!r} cannot be a key of {place} in the cache")
            check_plain(item, f"{place}[{name!r}]")
    elif type(value) not in PLAIN or value in NO_JSON or value != value:
        raise NotCacheable(f"the cache would change {place}, a {type(value).__name__}")


def seal_value(key: str, value: Any) -> bytes:
    check_plain(value)
    body = json.dumps(value, default=_as_text, separators=(",", ":")).encode()
    return _seal(key, body) + body


def open_value(key: str, data: bytes, default: Any = None) -> Any:
    seal, body = data[:SEAL_BYTES], data[SEAL_BYTES:]
    if len(data) > MOST_BYTES or not hmac.compare_digest(seal, _seal(key, body)):
        return default
    return json.loads(body, object_hook=_as_bytes)


def _seal(key: str, body: bytes) -> bytes:
    secret = blake2b(settings.SECRET_KEY.encode(), person=b"redis cache").digest()
    name = key.encode()
    seal = blake2b(len(name).to_bytes(8, "big"), key=secret, digest_size=SEAL_BYTES)
    seal.update(name)
    seal.update(body)
    return seal.digest()


def _as_text(value: bytes) -> dict[str, str]:
    return {BYTES: base64.b64encode(value).decode()}


def _as_bytes(value: dict[str, Any]) -> Any:
    return base64.b64decode(value[BYTES]) if value.keys() == {BYTES} else value


class SharedCache(SealedCache):
    """A cache of all web processes together: attempts to sign in, or counts of calls.

    Kept in Redis, and while that does not answer in the memory of each process: limits
    are looser then, and nobody is locked out. `LOCATION` is the address of a Redis;
    options are those of Django's own.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        name = f"{server} {self.key_prefix}"
        self.local = LocMemCache(name, {**params, "OPTIONS": {}})
        self.breaker = _breakers.setdefault(name, CircuitBreaker())

    @cached_property
    def _cache(self) -> Any:
        at: Any = self
        client = SealedClient(at._servers, **at._options)
        return FallbackClient(client, self.local, self.breaker)

    def clear(self) -> None:
        """Delete our own keys alone: the same Redis may have the queues."""
        self.local.clear()
        for key in self._cache.keys(f"{self.key_prefix}:*"):
            self._cache.delete(key)


# Django makes a cache for each thread.
_breakers: dict[str, CircuitBreaker] = {}


class FallbackClient:
    """Asks the client of a Redis, or the local cache while that does not answer."""

    def __init__(
        self, client: SealedClient, local: LocMemCache, breaker: CircuitBreaker
    ) -> None:
        self._client, self._local, self._breaker = client, local, breaker

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def ask(*args: Any) -> Any:
            if not self._breaker.open:
                try:
                    return getattr(self._client, name)(*args)
                except LOST:
                    self._breaker.trip()
            if name in ("add", "set"):
                check_plain(args[1])
            return getattr(self._local, name)(*args)

        return ask

    def keys(self, pattern: str) -> list[str]:
        """Keys in the Redis; none while it does not answer."""
        try:
            client = self._client.get_client(None, write=True)
            return [key.decode() for key in client.scan_iter(pattern)]
        except LOST:
            return []


class MemoryCache(LocMemCache):
    """A cache of one process, for sites without Redis: it takes what Redis would."""

    def add(self, key: str, value: Any, *args: Any, **options: Any) -> bool:
        check_plain(value)
        return super().add(key, value, *args, **options)

    def set(self, key: str, value: Any, *args: Any, **options: Any) -> None:
        check_plain(value)
        super().set(key, value, *args, **options)


def digest(depends_on: object) -> str:
    """The key of a value: a digest of all that it depends on."""
    return blake2b(repr(depends_on).encode(), digest_size=20).hexdigest()


class LruBySize(Generic[Cached]):
    """The things used last, by key: at most so many, or of what `size` says of each."""

    def __init__(
        self, most: int, size: Callable[[Cached], int] = lambda thing: 1
    ) -> None:
        self.most, self.size, self.held = most, size, 0
        self.things: OrderedDict[Hashable, Cached] = OrderedDict()
        self.lock = Lock()

    def recall(self, keys: Iterable[Name]) -> dict[Name, Cached]:
        cached: dict[Name, Cached] = {}
        with self.lock:
            for key in keys:
                thing = self.things.get(key)
                if thing is not None:
                    cached[key] = thing
                    self.things.move_to_end(key)
        return cached

    def remember(self, key: Hashable, thing: Cached) -> None:
        with self.lock:
            if key in self.things:
                self.held -= self.size(self.things.pop(key))
            if self.size(thing) > self.most:
                return
            self.things[key] = thing
            self.held += self.size(thing)
            while self.held > self.most:
                self.held -= self.size(self.things.popitem(last=False)[1])

    def clear(self) -> None:
        with self.lock:
            self.things.clear()
            self.held = 0
