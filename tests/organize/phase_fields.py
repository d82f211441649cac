"""Values that browsers send with the forms of a phase."""

from datetime import datetime
from typing import Any

from leaderboard.organize.phase_form import PhaseForm
from leaderboard.tasks.models import Phase


def wall(moment: datetime) -> str:
    """As a browser sends what it was shown."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}"


def filled(phase: Phase, **changes: Any) -> dict[str, Any]:
    """Values that a browser sends when nothing but `changes` was touched."""
    zone = phase.zone
    fields: dict[str, Any] = {
        "title": phase.title,
        "name": phase.name,
        "time_zone": phase.time_zone,
        "opens": wall(phase.opens.astimezone(zone)),
        "closes": wall(phase.closes.astimezone(zone)) if phase.closes else "",
        "who": phase.who,
        "policy": phase.policy,
        "counts": phase.counts,
        "test_sets": [one.pk for one in phase.test_sets.all()],
    }
    return fields | changes


def form(phase: Phase, **changes: Any) -> PhaseForm:
    """The form of the phase, sent with nothing but `changes` touched."""
    same = Phase.objects.select_related("task").get(pk=phase.pk)
    return PhaseForm(filled(phase, **changes), instance=same)


def text(answer: Any) -> str:
    return answer.content.decode().replace("&#x27;", "'").replace("&#39;", "'")
