"""Where pages of boards are kept: Redis, and the memory of a process without it."""

from typing import Any


def stores(redis_url: str) -> dict[str, dict[str, Any]]:
    """For Django's `CACHES`; a Redis that hangs costs a request a quarter second."""
    memory = "django.core.cache.backends.locmem.LocMemCache"
    return {
        "boards": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": redis_url,
            "KEY_PREFIX": "boards",
            "OPTIONS": {"socket_timeout": 0.25, "socket_connect_timeout": 0.25},
        },
        "boards-local": {
            "BACKEND": memory,
            "LOCATION": "boards",
            "OPTIONS": {"MAX_ENTRIES": 100},
        },
    }
