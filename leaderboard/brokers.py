"""What Celery is told of its broker: Redis or RabbitMQ, by an address alone."""

import os
from typing import Any

from django.core.exceptions import ImproperlyConfigured

# Hints of scoring go to one of these; all other jobs are light.
LIGHT, HEAVY = QUEUES = ("light", "heavy")


def for_celery(url: str) -> str:
    """The address as Celery writes it, which has another word for a socket."""
    return url.replace("unix://", "redis+socket://", 1).replace(
        "?db=", "?virtual_host="
    )


def transport_options(url: str) -> dict[str, Any]:
    """Short time limits, so that a hung broker costs an upload seconds."""
    if url.startswith("amqp"):
        # Without them a program that tells waits for an absent broker for ever.
        return {"max_retries": 1, "interval_start": 0, "interval_max": 0}
    return {
        "visibility_timeout": 3600,
        "socket_timeout": 2,
        "socket_connect_timeout": 1,
    }


def consumed() -> tuple[str, ...]:
    """PLUMBLINE_QUEUES: what workers of this machine take, one or both."""
    given = os.environ.get("PLUMBLINE_QUEUES") or ",".join(QUEUES)
    found = tuple(dict.fromkeys(name.strip() for name in given.split(",")))
    if not found or set(found) - set(QUEUES):
        raise ImproperlyConfigured(
            'PLUMBLINE_QUEUES must be "light", "heavy" or "light,heavy"'
        )
    return found
