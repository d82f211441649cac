"""Whether the site can do its work, and what waits: numbers an operator can act on."""

import time
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count, Min
from django.utils import timezone

from leaderboard.celery import BOARDS, UPKEEP
from leaderboard.operations.models import Incident
from leaderboard.submissions.broker import broker
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    LaneRun,
    Sweep,
)
from leaderboard.submissions.uploads import room_left, shared_moment
from leaderboard.tasks import blobs
from scoring.sandbox.kernel import missing
from scoring.scorers import plugins

OLDEST_SWEEP = 60.0
# Somebody is at the work of each lane every two seconds; a board can take a while.
OLDEST_UPKEEP, OLDEST_BOARDS = 60.0, 300.0
OLDEST_WAITING = 600.0
# Pages open and close phases and reveal boards by the clock of their own machine.
MOST_AHEAD = 5.0
ROWS_SHOWN = 50
FAILED_SHOWN_FOR = timedelta(days=7)


@dataclass(frozen=True)
class Readiness:
    """Seconds are None where there is nothing to measure.

    `clock_seconds` is how far the clock of this machine is ahead of the database's,
    negative behind it. `upkeep_seconds` and `boards_seconds` are how long ago somebody
    was at that kind of work. `sandbox_lacks` names the parts of the sandbox for
    strangers' files that the kernel of this machine does not have, `plugins_broken` the
    plug-ins that are left out.
    """

    database: bool
    broker: bool = False
    files: bool = True
    sweep_seconds: float | None = None
    upkeep_seconds: float | None = None
    boards_seconds: float | None = None
    queued: int = 0
    running: int = 0
    oldest_seconds: float | None = None
    free_bytes: int = 0
    clock_seconds: float = 0.0
    sandbox_lacks: tuple[str, ...] = ()
    plugins_broken: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """down, degraded or ok. Without broker or sweeps uploads are still accepted.

        With a wrong clock, too: their arrival is told by the database's.
        """
        if not (self.database and self.files and self.has_room):
            return "down"
        swept = self.sweep_seconds is not None and self.sweep_seconds <= OLDEST_SWEEP
        stuck = (self.oldest_seconds or 0) > OLDEST_WAITING
        swept_whole = swept and not self.left_alone
        good = self.broker and swept_whole and not stuck and not self.clock_is_wrong
        return "ok" if good else "degraded"

    @property
    def has_room(self) -> bool:
        return self.free_bytes >= settings.LEAST_FREE_BYTES

    @property
    def left_alone(self) -> list[str]:
        """Lanes that no process takes."""
        ages = {
            UPKEEP: (self.upkeep_seconds, OLDEST_UPKEEP),
            BOARDS: (self.boards_seconds, OLDEST_BOARDS),
        }
        return [lane for lane, (age, most) in ages.items() if age is None or age > most]

    @property
    def clock_is_wrong(self) -> bool:
        return abs(self.clock_seconds) > MOST_AHEAD

    def as_dict(self) -> dict[str, Any]:
        return {"status": self.status, **asdict(self)}


def readiness() -> Readiness:
    try:
        return _measure()
    except DatabaseError:
        connection.close()  # the next request shall try anew
        return Readiness(
            database=False,
            free_bytes=room_left(),
            sandbox_lacks=tuple(missing()),
            plugins_broken=_broken(),
        )


def _measure() -> Readiness:
    rows = Evaluation.objects.filter(
        state__in=(EvaluationState.QUEUED, EvaluationState.RUNNING)
    )
    by_state = {
        state: (number, since)
        for state, number, since in rows.values_list("state").annotate(
            Count("pk"), Min("state_since")
        )
    }
    queued, oldest = by_state.get(EvaluationState.QUEUED, (0, None))
    lanes = dict(LaneRun.objects.values_list("lane", "at"))
    running, _ = by_state.get(EvaluationState.RUNNING, (0, None))
    return Readiness(
        database=True,
        broker=broker.answers(),
        files=blobs.answers(),
        sweep_seconds=_age(Sweep.objects.values_list("at", flat=True).first()),
        upkeep_seconds=_age(lanes.get(UPKEEP)),
        boards_seconds=_age(lanes.get(BOARDS)),
        queued=queued,
        running=running,
        oldest_seconds=_age(oldest),
        free_bytes=room_left(),
        clock_seconds=_ahead(),
        sandbox_lacks=tuple(missing()),
        plugins_broken=_broken(),
    )


def _broken() -> tuple[str, ...]:
    """Packages alone: what is wrong with them is for the log."""
    return tuple(plugin.package for plugin in plugins() if plugin.fault)


def _ahead() -> float:
    # Read before the database is asked: it may take long to answer.
    ours, reading = timezone.now(), time.monotonic()
    return round((ours - shared_moment(reading)).total_seconds(), 1)


def _age(moment: datetime | None) -> float | None:
    if moment is None:
        return None
    return round(max(0.0, (timezone.now() - moment).total_seconds()), 1)


def queue_page() -> dict[str, object]:
    """Numbers of every state, and the rows worth looking at, oldest first; of incidents
    those that are open, the newest first."""
    numbers = dict(
        Evaluation.objects.order_by()
        .values_list("state")
        .annotate(Count("pk"))
        .values_list("state", "pk__count")
    )
    rows = Evaluation.objects.select_related(
        "submission__participation__team", "submission__phase__task"
    ).order_by("state_since")
    recently = timezone.now() - FAILED_SHOWN_FOR
    failed = rows.filter(state=EvaluationState.FAILED_SYSTEM, state_since__gte=recently)
    return {
        "counts": [
            (state.label, numbers.get(state.value, 0)) for state in EvaluationState
        ],
        "waiting": rows.filter(state=EvaluationState.QUEUED)[:ROWS_SHOWN],
        "running": rows.filter(state=EvaluationState.RUNNING)[:ROWS_SHOWN],
        "failed": failed.reverse()[:ROWS_SHOWN],
        "incidents": Incident.objects.filter(ended_at=None).select_related("task"),
    }
