"""The Celery application; jobs live in each app's jobs.py."""

import os
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_init
from django.core.exceptions import ImproperlyConfigured

from leaderboard.sandbox.kernel import close_memory
from leaderboard.startup import require_safe

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

app = Celery("leaderboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")


@worker_init.connect
@beat_init.connect
def close(**_: Any) -> None:
    """Nobody else under this account reads or writes the memory of this process."""
    close_memory()


@worker_init.connect
@beat_init.connect
def refuse(**_: Any) -> None:
    """Ends the process of a site that must not start: errors here are only logged."""
    try:
        require_safe()
    except ImproperlyConfigured as reason:
        raise SystemExit(str(reason)) from None


@worker_init.connect
def give_way(**_: Any) -> None:
    """Whoever waits for a page goes before whoever waits for a score."""
    os.nice(app.conf.worker_nice)
