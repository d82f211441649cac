"""Phases that opened or closed since they were last looked at."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from leaderboard.api.models import HookEvent, WatchedPhase, Webhook
from leaderboard.tasks.models import Phase
from leaderboard.webhooks import news
from leaderboard.webhooks.audience import reaches

KINDS = {"open": HookEvent.OPENED, "over": HookEvent.CLOSED}


def phases() -> list[Phase]:
    """All there are, with what their boards' disclosure asks for."""
    related = ("task", "gold_revision")
    rows = Phase.objects.select_related(*related).prefetch_related("task__phases")
    return list(rows.order_by("pk"))


def look(hooks: Sequence[Webhook], found: Sequence[Phase], now: datetime) -> None:
    """The first look at a phase is no news."""
    known = {row.phase_id: row for row in WatchedPhase.objects.all()}
    fresh = [one for one in found if one.pk not in known]
    rows = [WatchedPhase(phase=phase, state=phase.state(now)) for phase in fresh]
    WatchedPhase.objects.bulk_create(rows, ignore_conflicts=True)
    changed = [
        phase
        for phase in found
        if phase.pk in known and known[phase.pk].state != phase.state(now)
    ]
    wanting = [hook for hook in hooks if set(KINDS.values()) & set(hook.events)]
    reach = reaches(wanting, {phase.task for phase in changed})
    for phase in changed:
        told = [h for h in wanting if reach[h.user_id].covers(h, phase.task_id)]
        _tell(told, phase, known[phase.pk], now)


def _tell(
    hooks: Sequence[Webhook], phase: Phase, row: WatchedPhase, now: datetime
) -> None:
    """Unless somebody else was first."""
    state = phase.state(now)
    event = KINDS.get(state)
    with transaction.atomic():
        same = WatchedPhase.objects.filter(pk=row.pk, state=row.state)
        if same.update(state=state) and event:
            about = f"phase {phase.pk} {state} {now:%Y%m%dT%H%M%S%f}"
            told = news.News(event, about, news.of_phase(phase))
            news.order((hook, told) for hook in hooks if event in hook.events)
