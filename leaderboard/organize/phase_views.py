"""Pages on which organizers make and change phases."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from leaderboard.organize import deadlines, phase_list
from leaderboard.organize.deadline_form import DeadlineForm
from leaderboard.organize.phase_costs import costs_of
from leaderboard.organize.phase_form import PhaseForm, blank
from leaderboard.submissions.models import Submission
from leaderboard.submissions.uploads import arrived_at
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.current import gold_in_force
from leaderboard.tasks.lock import lock_phase, task_locked
from leaderboard.tasks.models import Notice, Phase, Task
from leaderboard.tasks.policy import Power, can

form_page = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
def listing(request: HttpRequest, slug: str) -> HttpResponse:
    task = organized_task_or_404(request, slug)
    context = {
        "task": task,
        "lines": phase_list.lines(task),
        "edits": can(request.user, task, Power.EDIT),
        "ready": gold_in_force(task) is not None,
    }
    return render(request, "organize/phases.html", context)


@form_page
def new(request: HttpRequest, slug: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    if request.method != "POST":
        return _new(request, task)
    with task_locked(task) as now:
        return _new(request, now)


def _new(request: HttpRequest, task: Task) -> HttpResponse:
    revision = gold_in_force(task)
    if revision is None:
        messages.error(request, _("A phase needs gold: add a test set first."))
        return redirect("organize-phases", task.slug)
    phase = blank(task)
    phase.gold_revision = revision
    return _form_page(request, task, phase)


@form_page
def edit(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    found = _phase_or_404(request, slug, phase)
    if request.method != "POST":
        return _form_page(request, found.task, found)
    with transaction.atomic():
        found = lock_phase(found)
        return _form_page(request, found.task, found)


def _form_page(request: HttpRequest, task: Task, phase: Phase) -> HttpResponse:
    initial = {} if phase.pk else {"test_sets": task.test_sets.all()}
    form = PhaseForm(request.POST or None, instance=phase, initial=initial)
    if request.method == "POST" and form.is_valid():
        _save(request, form)
        messages.success(request, _("%(phase)s is saved.") % {"phase": phase.title})
        return redirect("organize-phases", task.slug)
    context = {
        "task": task,
        "phase": form.before.phase,
        "form": form,
        "costs": costs_of(form.before.phase),
    }
    status = 422 if form.errors else 200
    return render(request, "organize/phase.html", context, status=status)


def _save(request: HttpRequest, form: PhaseForm) -> None:
    phase = form.store()
    if form.effects:
        Notice.objects.create(
            task=phase.task,
            phase=phase,
            kind=Notice.Kind.RULES,
            text=f"{phase.title}: {form.cleaned_data['note']}",
            by=request.user,
        )


@form_page
def deadline(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """Move the end of a phase; late submissions are let in on another click."""
    found = _phase_or_404(request, slug, phase)
    form = DeadlineForm(found, request.POST or None)
    if request.method == "POST" and form.is_valid() and _moved(request, found, form):
        messages.success(request, _("The end is moved, and everybody can read it."))
        return redirect("organize-deadline", slug, phase)
    context = {
        "task": found.task,
        "phase": found,
        "state": found.state(),
        "form": form,
        "in_time": deadlines.in_time(found).count() if found.closes else 0,
        "late": Submission.objects.filter(phase=found, late=True).count(),
    }
    status = 422 if form.errors else 200
    return render(request, "organize/deadline.html", context, status=status)


def _moved(request: HttpRequest, phase: Phase, form: DeadlineForm) -> bool:
    given = form.cleaned_data
    closes, note, known = given["closes"], given["note"], given["known"]
    try:
        with transaction.atomic():
            deadlines.move(phase, closes, note, request.user, known=known)
            came = arrived_at(request)
            admitted = deadlines.let_in(phase, known, came, request.user)
    except deadlines.CannotMove as reason:
        form.add_error("closes", str(reason))
    except ValidationError as error:
        form.add_error("closes", error.messages)
    else:
        if admitted.number or admitted.left:
            _tell(request, admitted)
    return form.is_valid()


@require_POST
def admit(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """Let in what came late but before the end as it is now."""
    found = _phase_or_404(request, slug, phase)
    _tell(request, deadlines.admit_in_time(found, request.user))
    return redirect("organize-deadline", slug, phase)


def _tell(request: HttpRequest, admitted: deadlines.Admitted) -> None:
    said = ngettext(
        "%(n)s late submission is let in and queued.",
        "%(n)s late submissions are let in and queued.",
        admitted.number,
    )
    messages.success(request, said % {"n": admitted.number})
    for submission, reason in admitted.left:
        stays = _("%(submission)s stays late: %(reason)s.")
        told = {"submission": submission, "reason": reason}
        messages.warning(request, stays % told)


@require_POST
def pause(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """Pause with a note, or go on where `go_on` is sent."""
    found = _phase_or_404(request, slug, phase)
    if "go_on" in request.POST:
        phase_list.resume(found, request.user)
        said = _("%(phase)s goes on: teams can submit again.")
    else:
        longest = Phase._meta.get_field("paused_note").max_length
        note = request.POST.get("note", "").strip()[:longest]
        phase_list.pause(found, note, request.user)
        said = _("%(phase)s is paused: uploads are refused, nothing is charged.")
    messages.success(request, said % {"phase": found.title})
    return redirect("organize-phases", slug)


@require_POST
def move(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    found = _phase_or_404(request, slug, phase)
    phase_list.move(found, -1 if request.POST.get("to") == "up" else 1)
    return redirect("organize-phases", slug)


@form_page
def delete(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """Ask first; what holds submissions stays."""
    found = _phase_or_404(request, slug, phase)
    context = {"task": found.task, "phase": found, "sent": found.submissions.count()}
    if request.method != "POST":
        return render(request, "organize/phase_delete.html", context)
    try:
        phase_list.delete(found)
    except phase_list.CannotDelete:
        return render(request, "organize/phase_delete.html", context, status=422)
    messages.success(request, _("%(phase)s is deleted.") % {"phase": found.title})
    return redirect("organize-phases", slug)


def _phase_or_404(request: HttpRequest, slug: str, name: str) -> Phase:
    """A phase of a task that the reader may edit."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    phases = Phase.objects.select_related("task", "gold_revision")
    return get_object_or_404(phases, task=task, name=name)
