"""Celery's jobs for submissions."""

import time

from celery import current_app, shared_task
from django.conf import settings

from leaderboard.celery import takes_light
from leaderboard.submissions import dispatch, evaluation, leases
from leaderboard.submissions.broker import ask
from leaderboard.submissions.gold import rescore
from leaderboard.submissions.models import Sweep
from leaderboard.submissions.process_order import ProcessOrder

_swept = _asked = float("-inf")
_order = ProcessOrder()


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
        dispatch.hint_waiting()


def _ask_for_boards() -> None:
    """The first of several results asks at once; for the others the clock does."""
    global _asked
    if time.monotonic() - _asked >= settings.SWEEP_SECONDS:
        _asked = time.monotonic()
        ask(current_app.signature("boards.compute", expires=settings.SWEEP_SECONDS))


@shared_task(name="submissions.sweep")
def sweep() -> None:
    """Free what is stuck and tell the queue about what waits."""
    global _swept
    _swept = time.monotonic()
    leases.reap()
    rescore.upkeep()
    dispatch.hint_waiting()
    evaluation.summarise_outdated()
