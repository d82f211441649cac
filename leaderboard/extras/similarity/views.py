"""Report on submissions that look like probing, for one phase."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.extras.similarity.similarity import likeness, same_files
from leaderboard.tasks.access import SEE
from leaderboard.tasks.models import Phase, Task
from leaderboard.web.access import access
from leaderboard.web.templatetags.formatting import figures


@require_safe
@access(SEE)
def report(request: HttpRequest, task: Task) -> HttpResponse:
    """The report on the phase named by `phase`, else on the last with submissions.

    A constant number of queries.
    """
    phases = list(task.phases.select_related("task"))
    phase = _chosen(task, phases, request.GET.get("phase"))
    context: dict[str, Any] = {"task": task, "phases": phases, "phase": phase}
    if phase is not None:
        found = likeness(phase)
        usual = found.usual
        context |= {
            "likeness": found,
            "usual": "" if usual is None else figures(f"{100 * usual:.1f} %"),
            "files": same_files(phase),
        }
    return render(request, "similarity/report.html", context)


def _chosen(task: Task, phases: list[Phase], name: str | None) -> Phase | None:
    if name is not None:
        for phase in phases:
            if phase.name == name:
                return phase
        raise Http404
    used = task.phases.filter(submissions__isnull=False)
    keys = set(used.values_list("pk", flat=True))
    sent_to = [phase for phase in phases if phase.pk in keys]
    return (sent_to or phases or [None])[-1]
