from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard.extension.access import SEE, TASK, access
from leaderboard.extension.boards import SystemOverview
from leaderboard.extension.exports import attachment
from leaderboard.extension.models import Task, User


def days_since(system: SystemOverview, reader: User) -> list[int]:
    return [(timezone.now() - system.submission.received_at).days]


def has_end(task: Task) -> bool:
    return task.phases.exclude(closes=None).exists()


@require_safe
@access(SEE)
def overview(request: HttpRequest, task: Task) -> HttpResponse:
    phases = task.phases.annotate(newest=Max("submissions__received_at"))
    return render(request, "dates/overview.html", {"task": task, "phases": phases})


@require_safe
@access(TASK)
def ends(request: HttpRequest, task: Task) -> HttpResponse:
    lines = [f"{phase.name},{phase.closes or ''}" for phase in task.phases.all()]
    return attachment("dates.csv", "\n".join(["phase,closes", *lines, ""]), "text/csv")
