"""`manage.py work`: scoring without any broker, by asking the database."""

import logging
import os
import signal
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, close_old_connections, connection

from leaderboard.celery import (
    CONNECTION_SECONDS,
    HEAVY,
    LANES,
    LIGHT,
    QUEUES,
    lane_of,
)
from leaderboard.lanes import Lanes
from leaderboard.mail.sender import sender
from leaderboard.startup import require_safe
from leaderboard.submissions import dispatch, evaluation
from leaderboard.submissions.jobs import note_lane
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.submissions.process_order import ProcessOrder
from scoring.sandbox.kernel import lower_session

log = logging.getLogger(__name__)
LANE_POLL = 0.5  # seconds between looks at the clock
MOST_POLL = 3600
TRIED = 4  # another worker may have taken the first


class Command(BaseCommand):
    """A process that scores, and beside it those of the lanes (`leaderboard.lanes`).

    Named queues are taken in turn, by one process.
    """

    help = (
        "Do the work of a site without a broker: score what waits, and beside it "
        "compute boards, send mail and sweep."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--poll", type=float, default=0.2, help="seconds between looks at the queue"
        )
        parser.add_argument(
            "--until-empty", action="store_true", help="end when nothing waits or runs"
        )
        parser.add_argument(
            "--queues",
            choices=(*QUEUES, *LANES),
            nargs="+",
            help="take these in turn, in one process; if not given, it scores as "
            "PLUMBLINE_QUEUES says, and two more processes do the rest",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs until SIGTERM or SIGINT; what is being scored is finished first."""
        if not 0.01 <= options["poll"] <= MOST_POLL:
            raise CommandError(f"--poll takes seconds, from 0.01 to {MOST_POLL}")
        require_safe()
        os.nice(settings.CELERY_WORKER_NICE)
        lower_session(settings.CELERY_WORKER_NICE)
        current_app.loader.import_default_modules()
        queues, poll = options["queues"], options["poll"]
        if options["until_empty"]:
            self._take(queues or (*settings.QUEUES, *LANES), poll, until_empty=True)
        elif queues:
            self._take(queues, poll)
        else:
            self._beside_lanes(poll)

    def _beside_lanes(self, poll: float) -> None:
        lanes = Lanes(lambda name: self._take([name], LANE_POLL))
        try:
            self._take(settings.QUEUES, poll, lanes=lanes)
        finally:
            lanes.stop()

    def _take(
        self,
        queues: Sequence[str],
        poll: float,
        until_empty: bool = False,
        lanes: Lanes | None = None,
    ) -> None:
        # An Event has a lock, which whoever is interrupted may hold.
        signals = SimpleQueue[int]()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _frame: signals.put(number))
        worker = QueuelessWorker(queues)
        try:
            while signals.empty():
                if lanes is not None and lanes.has_ended:
                    raise CommandError("The processes for boards and mail are gone.")
                if worker.step():
                    continue
                if until_empty and nothing_left():
                    return
                with suppress(Empty):
                    signals.put(signals.get(timeout=poll))
        finally:
            sender.stop()


class QueuelessWorker:
    """Does what is due by the clock and scores one evaluation per step, of `queues`."""

    def __init__(self, queues: Sequence[str] = (*QUEUES, *LANES)) -> None:
        self.queues = queues
        self.weights = sorted({name == HEAVY for name in queues if name in QUEUES})
        self.run = ProcessOrder().run if LIGHT in queues else evaluation.run
        current_app.loader.import_default_modules()
        # The main thread asks the database all the time. SQLite also empties its log
        # whenever the last connection is closed.
        connection.settings_dict["CONN_MAX_AGE"] = CONNECTION_SECONDS
        self.done: dict[str, float] = {}

    def step(self) -> bool:
        """Whether something was scored. A database that is away is waited for."""
        try:
            self._do_what_is_due()
            waiting = Evaluation.objects.ready()
            known = (
                set(waiting.values_list("heavy", flat=True).distinct())
                if self.weights
                else set()
            )
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

    def _do_what_is_due(self) -> None:
        """The jobs that Celery's scheduler would send, here and now."""
        schedule: dict[str, dict[str, Any]] = settings.CELERY_BEAT_SCHEDULE
        for entry in schedule.values():
            name, now = entry["task"], time.monotonic()
            if lane_of(name) not in self.queues:
                continue
            if now - self.done.get(name, float("-inf")) >= entry["schedule"]:
                self.done[name] = now
                note_lane(task := current_app.tasks[name])
                task()


def nothing_left() -> bool:
    open_states = (EvaluationState.QUEUED, EvaluationState.RUNNING)
    return not Evaluation.objects.filter(state__in=open_states).exists()
