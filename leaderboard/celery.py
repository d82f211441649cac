"""The Celery application; jobs live in each app's jobs.py."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

app = Celery("leaderboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")


@worker_init.connect
def give_way(**_: Any) -> None:
    """Whoever waits for a page goes before whoever waits for a score."""
    os.nice(app.conf.worker_nice)
