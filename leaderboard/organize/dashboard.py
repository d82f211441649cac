"""The state of a task: what is left to do, and what is under way."""

from collections.abc import Iterator, Mapping, Sequence

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.boards.front_page import that_entered
from leaderboard.organize.final_results import why_not_final
from leaderboard.organize.menu import Step, stages_of
from leaderboard.results.status import WAITING
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks.access import SEE
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.policy import Power, can
from leaderboard.web.access import access
from leaderboard.web.extras import links_at


@require_safe
@access(SEE)
def dashboard(request: HttpRequest, task: Task) -> HttpResponse:
    """The page of a task's state; a constant number of queries, whatever its size."""
    # Grouping drops the order of the model.
    of_teams = Q(submissions__baseline=False)
    counted = task.phases.annotate(sent=Count("submissions", filter=of_teams))
    phases = list(counted.order_by("position", "pk"))
    numbers = numbers_of(task)
    steps = list(_steps(task, phases, numbers, can(request.user, task, Power.EDIT)))
    awaiting = _("Waiting for judgements"), numbers["awaiting"]
    context = {
        "task": task,
        "stages": stages_of(steps),
        "phases": phases,
        "numbers": (
            (_("Teams"), numbers["teams"]),
            (_("Submissions"), numbers["sent"]),
            (_("In the queue"), numbers["waiting"]),
            *([awaiting] if task.takes_judgements else ()),
            (_("Late, not scored"), numbers["late"]),
            (_("Failed on our side"), numbers["failed"]),
        ),
        "gives_up": task.draft and can(request.user, task, Power.OWN),
    }
    return render(request, "organize/start.html", context)


def _steps(
    task: Task, phases: Sequence[Phase], numbers: Mapping[str, int], edits: bool
) -> Iterator[Step]:
    """The steps that are left for those who may take them."""
    for step in links_at("step", task) if edits else ():
        yield Step(step.title, step.about, step.route)
    if not task.test_sets.exists():
        yield Step(
            _("Add a test set"),
            _("Nothing can be scored without gold."),
            "organize-test-sets",
        )
    if not phases:
        yield Step(
            _("Add a phase"),
            _("A phase says what is open when, and who sees which number."),
            "organize-phases",
        )
    if not task.description:
        yield Step(
            _("Describe the task"),
            _("Participants read here what to predict and from which data."),
            "organize-edit",
        )
    if not numbers["baselines"]:
        yield Step(
            _("Submit a baseline"),
            _("A baseline gives every other score something to stand beside."),
            "organize-baselines",
        )
    if numbers["pending"]:
        yield Step(
            _("Admit or refuse teams"),
            _("Teams wait for being admitted."),
            "organize-people",
        )
    if task.draft:
        yield Step(
            _("Check and publish the task"),
            _("Nobody but its organizers sees a draft."),
            "organize-check",
        )
    now = timezone.now()
    for phase in phases:
        if edits and phase.declared_at is None and not why_not_final(phase, now):
            yield Step(
                _("Declare the final ranking of %(phase)s") % {"phase": phase.title},
                _("The phase is over, and its board can still change."),
                "organize-ranking",
            )


def numbers_of(task: Task) -> dict[str, int]:
    """Numbers of teams, submissions and evaluations, by what they are."""
    pending = Q(status=Participation.Status.PENDING)
    work = Evaluation.objects.filter(submission__phase__task=task)
    return {
        **task.participations.aggregate(
            teams=Count("pk", filter=that_entered(), distinct=True),
            pending=Count("pk", filter=pending, distinct=True),
        ),
        **Submission.objects.filter(phase__task=task).aggregate(
            sent=Count("pk", filter=Q(baseline=False)),
            late=Count("pk", filter=Q(late=True)),
            baselines=Count("pk", filter=Q(baseline=True)),
        ),
        **work.aggregate(
            waiting=Count("pk", filter=Q(state__in=WAITING)),
            failed=Count("pk", filter=Q(state=EvaluationState.FAILED_SYSTEM)),
            awaiting=Count("pk", filter=Q(state=EvaluationState.AWAITING)),
        ),
    }
