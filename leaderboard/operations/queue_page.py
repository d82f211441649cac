"""The operators' view of the queue: what waits, what runs, what failed and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count
from django.utils import timezone

from leaderboard.submissions.models import Evaluation, State

ROWS_SHOWN = 50
FAILED_SHOWN_FOR = timedelta(days=7)


@dataclass(frozen=True)
class QueuePage:
    """Numbers of every state, and the rows worth looking at, oldest first."""

    counts: Sequence[tuple[str, int]]
    waiting: Sequence[Evaluation]
    running: Sequence[Evaluation]
    failed: Sequence[Evaluation]


def queue_page() -> QueuePage:
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
    failed = rows.filter(state=State.FAILED_SYSTEM, state_since__gte=recently)
    return QueuePage(
        counts=[(state.label, numbers.get(state.value, 0)) for state in State],
        waiting=rows.filter(state=State.QUEUED)[:ROWS_SHOWN],
        running=rows.filter(state=State.RUNNING)[:ROWS_SHOWN],
        failed=failed.reverse()[:ROWS_SHOWN],
    )
