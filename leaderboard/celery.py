"""The Celery application, and what it is told of its broker: Redis or RabbitMQ.

Jobs live in each app's jobs.py.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import beat_init, task_postrun, worker_init, worker_process_init
from django.core.exceptions import ImproperlyConfigured
from django.db import close_old_connections, connection

from leaderboard.startup import require_safe
from scoring.sandbox.kernel import close_memory, lower_session

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
# Celery's own checks, which load every page of the site: `refuse` asks what is needed.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

# Hints of scoring go to one of the first two, which workers take. What computes boards,
# and all other jobs, have a queue each, which a process of the scheduler takes alone
# (`leaderboard.lanes`): none of the three kinds of work waits for another.
LIGHT, HEAVY = QUEUES = ("light", "heavy")
BOARDS, UPKEEP = LANES = ("boards", "upkeep")
CONNECTION_SECONDS = 60  # of a worker's connection, before the next one is opened

app = Celery("leaderboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")


@worker_init.connect
def give_way(**_: object) -> None:
    """Lower this worker's priority below that of the web server."""
    os.nice(app.conf.worker_nice)


@worker_init.connect
@beat_init.connect
def let_session_give_way(**_: object) -> None:
    """Lower that of a session, with the scheduler's lanes, which are workers; before
    `close`, which forbids it."""
    lower_session(app.conf.worker_nice)


@worker_init.connect
@beat_init.connect
def close(**_: object) -> None:
    """The memory of this process is closed to other processes of its account."""
    close_memory()


@worker_init.connect
@beat_init.connect
def refuse(**_: object) -> None:
    """Ends the process of a site that must not start: errors here are only logged."""
    try:
        require_safe(pages=False)
    except ImproperlyConfigured as reason:
        raise SystemExit(str(reason)) from None


@beat_init.connect
def keep_lanes(**_: object) -> None:
    """Start the lanes, before anything of the scheduler starts a thread."""
    from leaderboard import lanes

    lanes.keep()


@worker_process_init.connect
def keep_connection(**_: object) -> None:
    """Let jobs of this process follow each other on one connection, which Celery would
    close before and after each; Django closes it when it is old or broke."""
    connection.settings_dict["CONN_MAX_AGE"] = CONNECTION_SECONDS
    task_postrun.connect(_close_old)


def _close_old(**_: object) -> None:
    close_old_connections()


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


def lane_of(task: str) -> str:
    """The queue of a job that is no scoring."""
    route: dict[str, str] = app.conf.task_routes.get(task, {})
    return route.get("queue", UPKEEP)


def takes_light() -> bool:
    """Whether the worker that this process belongs to takes light work, too."""
    return LIGHT in app.amqp.queues.consume_from


def consumed_queues() -> tuple[str, ...]:
    """PLUMBLINE_QUEUES: what workers of this machine take, one or both."""
    given = os.environ.get("PLUMBLINE_QUEUES") or ",".join(QUEUES)
    queues = tuple(dict.fromkeys(name.strip() for name in given.split(",")))
    if not queues or set(queues) - set(QUEUES):
        raise ImproperlyConfigured(
            'PLUMBLINE_QUEUES must be "light", "heavy" or "light,heavy"'
        )
    return queues
