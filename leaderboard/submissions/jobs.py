"""Celery's jobs for submissions."""

import time
from typing import Any

from celery import current_app, shared_task
from celery.signals import task_prerun
from django.conf import settings

from leaderboard.celery import BOARDS, UPKEEP, takes_light
from leaderboard.submissions import dispatch, evaluation, leases
from leaderboard.submissions.broker import ask
from leaderboard.submissions.gold import rescore
from leaderboard.submissions.models import LaneRun, Sweep
from leaderboard.submissions.process_order import ProcessOrder

# Jobs that come every two seconds: while they run, somebody takes their lane.
PULSE = {"submissions.sweep": UPKEEP, "boards.compute": BOARDS}
_swept = _asked = float("-inf")
_order = ProcessOrder()


@task_prerun.connect
def note_lane(task: Any, **_: Any) -> None:
    """Not where a worker sweeps because nobody else does."""
    if lane := PULSE.get(task.name):
        LaneRun.note(lane)


@shared_task(name="submissions.score")
def score(evaluation_id: int) -> None:
    """Score one evaluation if it is still waiting, or what is more urgent."""
    run = _order.run if takes_light() else evaluation.run
    run(dispatch.instead_of(evaluation_id))
    _ask_for_boards()
    # Here too and not only on the clock: a lost scheduler must not stop the queue.
    seconds = settings.SWEEP_SECONDS
    if time.monotonic() - _swept >= seconds and not Sweep.ran_within(2 * seconds):
        sweep()
    else:
        dispatch.hint_next()


def _ask_for_boards() -> None:
    """The first of several results asks at once; for the others the clock does."""
    global _asked
    if time.monotonic() - _asked >= settings.SWEEP_SECONDS:
        _asked = time.monotonic()
        ask(current_app.signature("boards.compute"))


@shared_task(name="submissions.sweep")
def sweep() -> None:
    """Free what is stuck and tell the queue about what waits."""
    global _swept
    _swept = time.monotonic()
    leases.reap()
    rescore.upkeep()
    dispatch.hint_waiting()
    evaluation.summarise_outdated()
