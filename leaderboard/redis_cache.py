"""Django's cache in Redis, for a Redis that is not trusted.

Django pickles, and whoever writes to that Redis could run code here. These values are
JSON, bytes included, behind a keyed hash of key and value: what this site did not
write under that very key is as good as not there. Someone who holds the Redis can bring
back an older value of the same key, or drop it.
"""

import base64
import hmac
import json
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

from django.conf import settings
from django.core.cache.backends.redis import RedisCache, RedisCacheClient

SEAL_BYTES = 32
MOST_BYTES = 32 << 20  # larger ones are not read
BYTES = "bytes:base64"


class SealedCache(RedisCache):
    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = SealedClient


class SealedClient(RedisCacheClient):
    """Whole numbers that are added stay bare, as `incr` needs them: `get` is blind to
    them.
    """

    def add(self, key: str, value: Any, timeout: int | None) -> bool:
        packed = value if type(value) is int else sealed(key, value)
        client = self.get_client(key, write=True)
        if timeout == 0:
            return not client.exists(key)
        return bool(client.set(key, packed, ex=timeout, nx=True))

    def get(self, key: str, default: Any = None) -> Any:
        # A part of it, for a value can be half a gigabyte.
        found = self.get_client(key).getrange(key, 0, MOST_BYTES)
        return opened(key, found, default)

    def set(self, key: str, value: Any, timeout: int | None) -> None:
        client = self.get_client(key, write=True)
        if timeout == 0:
            client.delete(key)
        else:
            client.set(key, sealed(key, value), ex=timeout)

    def get_many(self, keys: Iterable[str]) -> dict[str, Any]:
        missing = object()
        found = {key: self.get(key, missing) for key in keys}
        return {key: value for key, value in found.items() if value is not missing}

    def set_many(self, data: Mapping[str, Any], timeout: int | None) -> None:
        for key, value in data.items():
            self.set(key, value, timeout)


def sealed(key: str, value: Any) -> bytes:
    body = json.dumps(value, default=_as_text, separators=(",", ":")).encode()
    return _seal(key, body) + body


def opened(key: str, data: bytes, default: Any = None) -> Any:
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


def _as_text(value: Any) -> dict[str, str]:
    if not isinstance(value, bytes):
        raise TypeError(f"{type(value).__name__} cannot be kept in Redis")
    return {BYTES: base64.b64encode(value).decode()}


def _as_bytes(value: dict[str, Any]) -> Any:
    return base64.b64decode(value[BYTES]) if value.keys() == {BYTES} else value
