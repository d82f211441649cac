"""Where a task stands: what is left to do, and what is under way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from leaderboard.submissions.models import Evaluation, State, Submission
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.policy import Power, can

Text = str | Promise


@dataclass(frozen=True)
class NextStep:
    """One thing to do, and the name of the address where it is done."""

    title: Text
    why: Text
    address: str


@dataclass(frozen=True)
class Figure:
    name: Text
    value: int


@dataclass(frozen=True)
class PhaseLine:
    phase: Phase
    state: str
    sent: int


@dataclass(frozen=True)
class Dashboard:
    """What the first page of an organizer shows."""

    steps: Sequence[NextStep]
    phases: Sequence[PhaseLine]
    numbers: Sequence[Figure]


def dashboard_of(task: Task) -> Dashboard:
    """A constant number of queries, however many teams and submissions there are."""
    now = timezone.now()
    # Grouping drops the order of the model.
    found = task.phases.annotate(sent=Count("submissions")).order_by("position", "pk")
    phases = [PhaseLine(one, one.state(now), one.sent) for one in found]
    counted = _counted(task)
    return Dashboard(list(_steps(task, phases, counted)), phases, _numbers(counted))


def _counted(task: Task) -> dict[str, int]:
    teams = Participation.objects.filter(task=task)
    sent = Submission.objects.filter(phase__task=task)
    work = Evaluation.objects.filter(submission__phase__task=task)
    # Baselines stand under the name of a team without members.
    active = Q(status=Participation.Status.ACTIVE, team__memberships__isnull=False)
    pending = Q(status=Participation.Status.PENDING)
    waiting = Q(state__in=(State.QUEUED, State.RUNNING))
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
            failed=Count("pk", filter=Q(state=State.FAILED_SYSTEM)),
        ),
    }


NUMBERS = (
    ("teams", gettext_lazy("Teams")),
    ("sent", gettext_lazy("Submissions")),
    ("waiting", gettext_lazy("In the queue")),
    ("late", gettext_lazy("Late, not scored")),
    ("failed", gettext_lazy("Failed on our side")),
)


def _numbers(counted: dict[str, int]) -> list[Figure]:
    return [Figure(name, counted[key]) for key, name in NUMBERS]


def _steps(
    task: Task, phases: Sequence[PhaseLine], counted: dict[str, int]
) -> Iterator[NextStep]:
    yield from _steps_of_setup(task, phases, counted)
    if counted["pending"]:
        why = gettext_lazy("Teams wait for being admitted.")
        yield NextStep(gettext_lazy("Admit or refuse teams"), why, "organize-people")
    if task.draft:
        why = gettext_lazy("Nobody but its organizers sees a draft.")
        yield NextStep(
            gettext_lazy("Check and publish the task"), why, "organize-check"
        )


def _steps_of_setup(task: Task, phases: Sequence[Any], counted: dict[str, int]) -> Any:
    if not task.test_sets.exists():
        why = gettext_lazy("Nothing can be scored without gold.")
        yield NextStep(gettext_lazy("Add a test set"), why, "organize-test-sets")
    if not phases:
        why = gettext_lazy("A phase says what is open when, and who sees which number.")
        yield NextStep(gettext_lazy("Add a phase"), why, "organize-phases")
    if not task.description:
        why = gettext_lazy(
            "Participants read here what to predict and from which data."
        )
        yield NextStep(gettext_lazy("Describe the task"), why, "organize-edit")
    if not counted["baselines"]:
        why = gettext_lazy(
            "A baseline gives every other score something to stand beside."
        )
        yield NextStep(gettext_lazy("Send a baseline"), why, "organize-baselines")


@require_safe
def dashboard(request: HttpRequest, slug: str) -> HttpResponse:
    task = organized_task_or_404(request, slug)
    gives_up = task.draft and can(request.user, task, Power.OWN)
    context = {"task": task, "start": dashboard_of(task), "gives_up": gives_up}
    return render(request, "organize/start.html", context)
