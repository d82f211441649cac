"""The report on submissions that look like probing, for one phase."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.organize.probe_report import report_of
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.models import Phase


@require_safe
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """Of the phase named by `phase`, else of the last that anything was sent to."""
    task = organized_task_or_404(request, slug)
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
