"""Pages of a task: joining, files, rules, and the team of one's own in it."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import BigAutoField, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from leaderboard.tasks import blobs, participation, policy
from leaderboard.tasks.access import PHASE, TASK, note_test_sets
from leaderboard.tasks.forms import JoinForm, WithdrawForm
from leaderboard.tasks.models import (
    Follower,
    GoldFile,
    Participation,
    Phase,
    Task,
    TestSet,
)
from leaderboard.tasks.models.records import notices_of
from leaderboard.tasks.participation import (
    ParticipationStatus,
    join,
    leads,
    participation_of,
    standing_of,
)
from leaderboard.tasks.questions import RegistrationForm
from leaderboard.teams.refusal import Refusal
from leaderboard.teams.requests import SignedInRequest
from leaderboard.web.access import access
from leaderboard.web.attachment import attachment
from leaderboard.web.forms import form_page
from leaderboard.web.markdown import render_markdown
from leaderboard.web.statements import statement

ACTIONS = ("answer", "withdraw", "hide", "show")


@require_safe
@access(TASK)
def data(request: HttpRequest, task: Task) -> HttpResponse:
    """Files to take, formats, and how to check a file at home."""
    seen = policy.sees_option_files(request.user, task)
    context = {
        "task": task,
        "phases": phases_of(task, request.user),
        "option_files": task.option_files if seen else [],
    }
    return render(request, "tasks/data.html", context)


@require_safe
@access(TASK)
def rules(request: HttpRequest, task: Task) -> HttpResponse:
    """Dates, limits and what is shown, phase by phase, and the terms."""
    phases = map(policy.note_neighbours, policy.with_neighbours(task.phases.all()))
    everybody = AnonymousUser()
    context = {
        "task": task,
        "terms": render_markdown(task.terms),
        "phases": [(p, policy.disclosure(everybody, p).lines) for p in phases],
    }
    return render(request, "tasks/rules.html", context)


def phases_of(
    task: Task, user: Any, read: Sequence[Any] | None = None
) -> Sequence[Any]:
    """Phases with `sizes`, test sets and their units, and whether they show files;
    those of `policy.with_neighbours` that were `read`, or all."""
    phases = _phases(task=task.pk) if read is None else read
    units = {(revision, key): n for revision, key, n in _sizes(task=task.pk)}
    for phase in phases:
        phase.task = task
        policy.note_neighbours(phase)
    note_test_sets(*phases)
    for phase in phases:
        phase.sizes = [
            (test_set, units.get((phase.gold_revision_id, test_set.pk), 0))
            for test_set in phase.test_sets.all()
        ]
        phase.shows_files = policy.sees_blind_files(user, phase)
        phase.shows_kit = policy.sees_kit(user, phase)
    return phases


@statement(task=BigAutoField())
def _phases(task: int) -> QuerySet[Phase]:
    return policy.with_neighbours(Phase.objects.filter(task=task))


@statement(task=BigAutoField())
def _sizes(task: int) -> QuerySet:
    files = GoldFile.objects.filter(revision__task=task)
    return files.values_list("revision", "test_set", "units")


@access(TASK.signed_in)
def join_task(request: SignedInRequest, task: Task) -> HttpResponse:
    form = JoinForm(request.user, task, request.POST or None)
    if request.method == "POST" and form.is_valid() and _join(form, task):
        messages.success(request, _welcome(standing_of(request.user, task)))
        return redirect(task)
    mine = standing_of(request.user, task)
    context = {
        "task": task,
        "form": form,
        "terms": render_markdown(task.terms),
        "participation": mine.entry,
        "mine": mine,
    }
    return render(request, "tasks/join.html", context)


def _welcome(standing: ParticipationStatus) -> str:
    """A sentence on where the team stands now and, if it may send something, how to
    begin."""
    begin = _(
        "Next: take the starting kit of a phase. It holds an example that you can send "
        "as it is, to see how this goes."
    )
    return f"{standing.text} {begin}" if standing.fine else standing.text


def _join(form: JoinForm, task: Task) -> bool:
    try:
        with transaction.atomic():
            join(task, form.chosen_team(), **form.conditions())
    except Refusal as reason:
        form.add_error(None, str(reason))
    except ValidationError as error:
        form.add_error("name", error.messages)
    return form.is_valid()


@require_safe
@access(PHASE)
def blind_file(request: HttpRequest, phase: Phase, name: str) -> HttpResponse:
    return blind_file_or_404(request.user, phase, name)


def blind_file_or_404(user: Any, phase: Phase, name: str) -> HttpResponse:
    """The published input of a test set, byte for byte."""
    if not policy.sees_blind_files(user, phase):
        raise Http404
    test_set = get_object_or_404(TestSet, phases=phase, name=name)
    return attachment(test_set.public_name, blobs.read(test_set.blind_sha256))


@require_safe
@access(TASK)
def option_file(request: HttpRequest, task: Task, name: str) -> HttpResponse:
    return option_file_or_404(request.user, task, name)


def option_file_or_404(user: Any, task: Task, name: str) -> HttpResponse:
    """A file that the scorer's options name, so that scoring at home is the same."""
    if not policy.sees_option_files(user, task):
        raise Http404
    files = {file["file"]: file["sha256"] for file in task.option_files}
    if name not in files:
        raise Http404
    return attachment(name, blobs.read(files[name]))


@form_page
@access(TASK.signed_in)
def team(request: SignedInRequest, task: Task) -> HttpResponse:
    """The reader's team; what it does comes as POST with its `action`."""
    standing = standing_of(request.user, task)
    entry = standing.entry
    if entry is None:
        if standing.text:
            messages.info(request, standing.text)
        return redirect("join", task.slug)
    action = request.POST.get("action", "")
    leaves = request.POST if action == "withdraw" else None
    answers = RegistrationForm(request.POST if action == "answer" else None)
    answers.ask(task.registration(), entry.answers)
    forms: dict[str, Any] = {
        "withdraw": WithdrawForm(leaves, auto_id="withdraw_%s"),
        "answer": answers,
    }
    form, refused = forms.get(action), action in ACTIONS
    if refused and (form is None or form.is_valid()):
        try:
            messages.success(request, _done(request, entry, action, form))
            return redirect("my-team", task.slug)
        except Refusal as reason:
            if form is None:
                messages.error(request, str(reason))
            else:
                form.add_error(None, str(reason))
    here = entry.participants.filter(left_at=None).select_related("user")
    context = {
        "task": task,
        "standing": standing,
        "entry": entry,
        "people": here.order_by("user__name", "pk"),
        "own_team": participation.own_team(request.user, entry),
        "leads": leads(request.user, entry),
        "alias": participation.alias_of(entry),
        "may_hide": not participation.why_not_anonymous(task, entry),
        "may_withdraw": "withdraw" in participation.possible_decisions(entry),
        "form": form,
        **forms,
    }
    return render(request, "tasks/team.html", context, status=422 if refused else 200)


def _done(
    request: SignedInRequest, entry: Participation, action: str, form: Any
) -> str:
    """Do what a button of the team's page asks; a sentence says so. Raises Refusal."""
    user = request.user
    if action == "answer":
        participation.answer(entry, form.facts())
        return _("Your answers are kept.")
    if not leads(user, entry):
        raise Refusal(_("Only a leader of the team can do that."))
    if action == "withdraw":
        participation.withdraw_own(entry, user)
        return _("Your team has left this task.")
    if action == "hide":
        participation.hide(entry)
        return _("Your name is hidden.")
    participation.show(entry)
    return _("Your name is shown.")


@require_safe
@access(TASK)
def log(request: HttpRequest, task: Task) -> HttpResponse:
    user: Any = request.user
    context = {
        "task": task,
        "notices": notices_of(task),
        "participation": participation_of(user, task),
        "follows": user.is_authenticated
        and Follower.objects.filter(task=task, user=user).exists(),
    }
    return render(request, "tasks/log.html", context)


@require_POST
@access(TASK.signed_in)
def follow(request: SignedInRequest, task: Task) -> HttpResponse:
    """Ask for announcements by mail, or with `to=off` no longer."""
    if request.POST.get("to") == "off":
        Follower.objects.filter(task=task, user=request.user).delete()
        messages.success(request, _("You no longer follow this task."))
    else:
        Follower.objects.get_or_create(task=task, user=request.user)
        messages.success(request, _("You get the announcements of this task by mail."))
    return redirect("task-log", task.slug)
