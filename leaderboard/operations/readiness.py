"""Whether the site can do its work, in numbers an operator can act on."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count, Min
from django.utils import timezone

from leaderboard.submissions.jobs import queue
from leaderboard.submissions.models import Evaluation, State, Sweep
from leaderboard.submissions.receiving import room_left
from leaderboard.tasks import blobs

OLDEST_SWEEP = 60.0
OLDEST_WAITING = 600.0


@dataclass(frozen=True)
class Readiness:
    """Seconds are None where there is nothing to measure."""

    database: bool
    broker: bool = False
    files: bool = True
    sweep_seconds: float | None = None
    queued: int = 0
    running: int = 0
    oldest_seconds: float | None = None
    free_bytes: int = 0

    @property
    def status(self) -> str:
        """down, degraded or ok. Without broker or sweeps uploads are still accepted."""
        room = self.free_bytes >= settings.LEAST_FREE_BYTES
        if not (self.database and self.files and room):
            return "down"
        swept = self.sweep_seconds is not None and self.sweep_seconds <= OLDEST_SWEEP
        stuck = (self.oldest_seconds or 0) > OLDEST_WAITING
        return "ok" if self.broker and swept and not stuck else "degraded"

    def as_dict(self) -> dict[str, Any]:
        return {"status": self.status, **asdict(self)}


def readiness() -> Readiness:
    try:
        return _measured()
    except DatabaseError:
        connection.close()  # the next request shall try anew
        return Readiness(database=False, free_bytes=room_left())


def _measured() -> Readiness:
    rows = Evaluation.objects.filter(state__in=(State.QUEUED, State.RUNNING))
    by_state = {
        state: (number, since)
        for state, number, since in rows.values_list("state").annotate(
            Count("pk"), Min("state_since")
        )
    }
    queued, oldest = by_state.get(State.QUEUED, (0, None))
    running, _ = by_state.get(State.RUNNING, (0, None))
    return Readiness(
        database=True,
        broker=queue.answers(),
        files=blobs.answers(),
        sweep_seconds=_age(Sweep.objects.values_list("at", flat=True).first()),
        queued=queued,
        running=running,
        oldest_seconds=_age(oldest),
        free_bytes=room_left(),
    )


def _age(moment: datetime | None) -> float | None:
    if moment is None:
        return None
    return round(max(0.0, (timezone.now() - moment).total_seconds()), 1)
