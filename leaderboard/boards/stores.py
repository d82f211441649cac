"""Where pages of boards are kept, and what web processes count together.

In Redis; without one in the memory of each process.
"""

from typing import Any

MEMORY = "django.core.cache.backends.locmem.LocMemCache"


def stores(redis_url: str) -> dict[str, dict[str, Any]]:
    """For Django's `CACHES`; a Redis that hangs costs a request a quarter second."""
    local = {
        "BACKEND": MEMORY,
        "LOCATION": "boards",
        "OPTIONS": {"MAX_ENTRIES": 100},
    }
    if not redis_url:
        return {
            "default": {"BACKEND": MEMORY},
            "boards": local,
            "boards-local": local,
        }
    shared = {
        "LOCATION": redis_url,
        "OPTIONS": {"socket_timeout": 0.25, "socket_connect_timeout": 0.25},
    }
    return {
        "default": {
            **shared,
            "BACKEND": "leaderboard.shared_cache.SharedCache",
            "KEY_PREFIX": "site",
        },
        "boards": {
            **shared,
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "KEY_PREFIX": "boards",
        },
        "boards-local": local,
    }
