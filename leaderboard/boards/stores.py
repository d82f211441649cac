"""Where pages of boards are kept, and what web processes count together.

In Redis; without one in the memory of each process.
"""

from typing import Any

MEMORY = "django.core.cache.backends.locmem.LocMemCache"


def stores(redis_url: str) -> dict[str, dict[str, Any]]:
    """For Django's `CACHES`; a Redis that hangs costs a request a quarter second."""
    local = _memory("boards", 100)
    ours = {"boards-local": local, "at-hand": _memory("at-hand", 200)}
    if not redis_url:
        return {"default": {"BACKEND": MEMORY}, "boards": local, **ours}
    shared = {
        "LOCATION": redis_url,
        "OPTIONS": {"socket_timeout": 0.25, "socket_connect_timeout": 0.25},
    }
    return {
        "default": {
            **shared,
            "BACKEND": "leaderboard.web.cache.SharedCache",
            "KEY_PREFIX": "site",
        },
        "boards": {
            **shared,
            "BACKEND": "leaderboard.web.cache.SealedCache",
            "KEY_PREFIX": "boards",
        },
        **ours,
    }


def _memory(name: str, entries: int) -> dict[str, Any]:
    options = {"MAX_ENTRIES": entries}
    return {"BACKEND": MEMORY, "LOCATION": name, "OPTIONS": options}
