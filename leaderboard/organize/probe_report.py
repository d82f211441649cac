"""Report on submissions that look like probing, for one phase."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.submissions.similarity import Likeness, likeness, same_files
from leaderboard.tasks.access import SEE
from leaderboard.tasks.models import Phase, Task
from leaderboard.web.access import access

MOST_SHOWN = 50


@dataclass(frozen=True)
class Excerpt:
    """The first rows, and how many are not shown."""

    shown: Sequence[Any]
    more: int


def excerpt(rows: Sequence[Any]) -> Excerpt:
    return Excerpt(rows[:MOST_SHOWN], max(0, len(rows) - MOST_SHOWN))


@dataclass(frozen=True)
class ProbeReport:
    likeness: Likeness
    files: Excerpt
    across: Excerpt
    within: Excerpt
    bursts: Excerpt

    @property
    def usual_share(self) -> str:
        usual = self.likeness.usual
        return "" if usual is None else f"{usual:.1%}".replace("%", " %")

    @property
    def is_empty(self) -> bool:
        parts = (self.files, self.across, self.within, self.bursts)
        return not any(part.shown for part in parts)


def report_of(phase: Phase) -> ProbeReport:
    """A constant number of queries."""
    found = likeness(phase)
    return ProbeReport(
        found,
        excerpt(same_files(phase)),
        excerpt(found.across),
        excerpt(found.within),
        excerpt(found.bursts),
    )


@require_safe
@access(SEE)
def report(request: HttpRequest, task: Task) -> HttpResponse:
    """Of the phase named by `phase`, else of the last that anything was sent to."""
    phases = list(task.phases.select_related("task"))
    used = set(
        task.phases.filter(submissions__isnull=False).values_list("pk", flat=True)
    )
    name = request.GET.get("phase")
    chosen = _chosen(phases, used, name)
    context = {
        "task": task,
        "phases": phases,
        "phase": chosen,
        "report": report_of(chosen) if chosen else None,
    }
    return render(request, "organize/probes.html", context)


def _chosen(phases: list[Phase], used: set[int], name: str | None) -> Phase | None:
    if name is not None:
        for phase in phases:
            if phase.name == name:
                return phase
        raise Http404
    sent_to = [phase for phase in phases if phase.pk in used]
    return (sent_to or phases or [None])[-1]
