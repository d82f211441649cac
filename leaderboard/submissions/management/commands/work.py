"""`manage.py work`: scoring without any broker, by asking the database."""

import logging
import os
import signal
import threading
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections, connection

from leaderboard.celery import CONNECTION_SECONDS, HEAVY, LIGHT, QUEUES
from leaderboard.mail.sender import sender
from leaderboard.startup import require_safe
from leaderboard.submissions import dispatch, evaluation
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.submissions.process_order import ProcessOrder

log = logging.getLogger(__name__)
TRIED = 4  # another worker may have taken the first


class Command(BaseCommand):
    """One worker process; start as many as there are cores."""

    help = "Score what waits, without a broker: claims, leases and sweeps alone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--poll", type=float, default=0.2, help="seconds between looks at the queue"
        )
        parser.add_argument(
            "--until-empty", action="store_true", help="end when nothing waits or runs"
        )
        parser.add_argument(
            "--queues",
            choices=("light", "heavy"),
            nargs="+",
            default=settings.QUEUES,
            help="the work to take; as PLUMBLINE_QUEUES says if not given",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs until SIGTERM or SIGINT; what is being scored is finished first."""
        require_safe()
        os.nice(settings.CELERY_WORKER_NICE)
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        worker = QueuelessWorker(options["queues"])
        try:
            while not stop.is_set():
                if worker.step():
                    continue
                if options["until_empty"] and nothing_left():
                    return
                stop.wait(options["poll"])
        finally:
            sender.stop()


class QueuelessWorker:
    """Does what is due by the clock and scores one evaluation per step."""

    def __init__(self, queues: Sequence[str] = QUEUES) -> None:
        self.weights = sorted({name == HEAVY for name in queues})
        self.run = ProcessOrder().run if LIGHT in queues else evaluation.run
        current_app.loader.import_default_modules()
        # The main thread asks the database all the time. SQLite also empties its log
        # whenever the last connection is closed.
        connection.settings_dict["CONN_MAX_AGE"] = CONNECTION_SECONDS
        self.done: dict[str, float] = {}

    def step(self) -> bool:
        """True if something was scored. A database that is away is waited for."""
        try:
            self._upkeep()
            waiting = Evaluation.objects.ready()
            known = set(waiting.values_list("heavy", flat=True).distinct())
            for heavy in [weight for weight in self.weights if weight in known]:
                ids = dispatch.in_turn(waiting, TRIED, count_hints=False, heavy=heavy)
                if any(map(self.run, ids)):
                    # The other one is first now.
                    self.weights = [w for w in self.weights if w != heavy] + [heavy]
                    return True
            return False
        except DatabaseError as error:
            log.error("database: %s", error)
            return False
        finally:
            close_old_connections()

    def _upkeep(self) -> None:
        """The jobs that Celery's scheduler would send, here and now."""
        for entry in settings.CELERY_BEAT_SCHEDULE.values():
            name, now = entry["task"], time.monotonic()
            if now - self.done.get(name, float("-inf")) >= entry["schedule"]:
                self.done[name] = now
                current_app.tasks[name]()


def nothing_left() -> bool:
    open_states = (EvaluationState.QUEUED, EvaluationState.RUNNING)
    return not Evaluation.objects.filter(state__in=open_states).exists()
