"""Where a task stands: what is left to do, and what is under way."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks.access import SEE
from leaderboard.tasks.models import Participation, Task
from leaderboard.tasks.policy import Power, can
from leaderboard.web.access import access

NUMBERS = (
    ("teams", gettext_lazy("Teams")),
    ("sent", gettext_lazy("Submissions")),
    ("waiting", gettext_lazy("In the queue")),
    ("late", gettext_lazy("Late, not scored")),
    ("failed", gettext_lazy("Failed on our side")),
)


@require_safe
@access(SEE)
def dashboard(request: HttpRequest, task: Task) -> HttpResponse:
    """A constant number of queries, however many teams and submissions there are."""
    now = timezone.now()
    # Grouping drops the order of the model.
    phases = task.phases.annotate(sent=Count("submissions")).order_by("position", "pk")
    lines = [{"phase": p, "state": p.state(now), "sent": p.sent} for p in phases]
    numbers = _numbers(task)
    start = {
        "steps": [
            {"title": title, "why": why, "address": address}
            for title, why, address in _steps(task, bool(lines), numbers)
        ],
        "phases": lines,
        "numbers": [{"name": name, "value": numbers[key]} for key, name in NUMBERS],
    }
    gives_up = task.draft and can(request.user, task, Power.OWN)
    context = {"task": task, "start": start, "gives_up": gives_up}
    return render(request, "organize/start.html", context)


def _numbers(task: Task) -> dict[str, int]:
    teams = Participation.objects.filter(task=task)
    sent = Submission.objects.filter(phase__task=task)
    work = Evaluation.objects.filter(submission__phase__task=task)
    # Baselines stand under the name of a team without members.
    active = Q(status=Participation.Status.ACTIVE, team__memberships__isnull=False)
    pending = Q(status=Participation.Status.PENDING)
    waiting = Q(state__in=(EvaluationState.QUEUED, EvaluationState.RUNNING))
    return {
        **teams.aggregate(
            teams=Count("pk", filter=active, distinct=True),
            pending=Count("pk", filter=pending, distinct=True),
        ),
        **sent.aggregate(
            sent=Count("pk"),
            late=Count("pk", filter=Q(late=True)),
            baselines=Count("pk", filter=Q(baseline=True)),
        ),
        **work.aggregate(
            waiting=Count("pk", filter=waiting),
            failed=Count("pk", filter=Q(state=EvaluationState.FAILED_SYSTEM)),
        ),
    }


def _steps(
    task: Task, has_phases: bool, numbers: Mapping[str, int]
) -> Iterator[tuple[Any, Any, str]]:
    """Title, reason and name of the address of each thing to do."""
    if not task.test_sets.exists():
        why = _("Nothing can be scored without gold.")
        yield _("Add a test set"), why, "organize-test-sets"
    if not has_phases:
        why = _("A phase says what is open when, and who sees which number.")
        yield _("Add a phase"), why, "organize-phases"
    if not task.description:
        why = _("Participants read here what to predict and from which data.")
        yield _("Describe the task"), why, "organize-edit"
    if not numbers["baselines"]:
        why = _("A baseline gives every other score something to stand beside.")
        yield _("Send a baseline"), why, "organize-baselines"
    if numbers["pending"]:
        why = _("Teams wait for being admitted.")
        yield _("Admit or refuse teams"), why, "organize-people"
    if task.draft:
        why = _("Nobody but its organizers sees a draft.")
        yield _("Check and publish the task"), why, "organize-check"
