"""Where a task stands: what is left to do, and what is under way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.submissions.models import Evaluation, State, Submission
from leaderboard.tasks.models import Participation, Phase, Task

Text = str | Promise


@dataclass(frozen=True)
class Step:
    """One thing to do, and the name of the address where it is done."""

    title: Text
    why: Text
    address: str


@dataclass(frozen=True)
class Number:
    name: Text
    value: int


@dataclass(frozen=True)
class PhaseLine:
    phase: Phase
    state: str
    sent: int


@dataclass(frozen=True)
class Start:
    """What the first page of an organizer shows."""

    steps: Sequence[Step]
    phases: Sequence[PhaseLine]
    numbers: Sequence[Number]


def start_of(task: Task) -> Start:
    """A constant number of queries, however many teams and submissions there are."""
    now = timezone.now()
    # Grouping drops the order of the model.
    found = task.phases.annotate(sent=Count("submissions")).order_by("position", "pk")
    phases = [PhaseLine(one, one.state(now), one.sent) for one in found]
    counted = _counted(task)
    return Start(list(_steps(task, phases, counted)), phases, _numbers(counted))


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
    ("teams", _("Teams")),
    ("sent", _("Submissions")),
    ("waiting", _("In the queue")),
    ("late", _("Late, not scored")),
    ("failed", _("Failed on our side")),
)


def _numbers(counted: dict[str, int]) -> list[Number]:
    return [Number(name, counted[key]) for key, name in NUMBERS]


def _steps(
    task: Task, phases: Sequence[PhaseLine], counted: dict[str, int]
) -> Iterator[Step]:
    yield from _steps_of_setup(task, phases, counted)
    if counted["pending"]:
        why = _("Teams wait for being admitted.")
        yield Step(_("Admit or refuse teams"), why, "organize-people")
    if task.draft:
        why = _("Nobody but its organizers sees a draft.")
        yield Step(_("Check and publish the task"), why, "organize-check")


def _steps_of_setup(task: Task, phases: Sequence[Any], counted: dict[str, int]) -> Any:
    if not task.test_sets.exists():
        why = _("Nothing can be scored without gold.")
        yield Step(_("Add a test set"), why, "organize-test-sets")
    if not phases:
        why = _("A phase says what is open when, and who sees which number.")
        yield Step(_("Add a phase"), why, "organize-phases")
    if not task.description:
        why = _("Participants read here what to predict and from which data.")
        yield Step(_("Describe the task"), why, "organize-edit")
    if not counted["baselines"]:
        why = _("A baseline gives every other score something to stand beside.")
        yield Step(_("Send a baseline"), why, "organize-baselines")
