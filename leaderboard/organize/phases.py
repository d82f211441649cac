"""Phases of a task: listed, made, changed, moved, paused, deleted, their end moved."""

from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, F, ProtectedError, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import (
    require_POST,
    require_safe,
)

from leaderboard.organize.forms import form_page, form_response
from leaderboard.organize.phase_form import DeadlineForm, PhaseForm, blank
from leaderboard.submissions import admin_actions
from leaderboard.submissions.models import Submission, SubmissionQuerySet
from leaderboard.submissions.scores import resolution
from leaderboard.submissions.uploads import arrived_at
from leaderboard.tasks import phase_rules
from leaderboard.tasks.access import (
    EDIT,
    SEE,
    lock_phase,
    lock_phases,
    lock_task,
    task_locked,
)
from leaderboard.tasks.models import (
    GoldFile,
    Notice,
    Participation,
    Phase,
    Task,
)
from leaderboard.tasks.phase_rules import too_few
from leaderboard.tasks.policy import Power, can
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access
from leaderboard.web.languages import in_english
from leaderboard.web.templatetags.zones import written

NONE = {"sent": 0, "late": 0, "in_time": 0}


def lines(task: Task) -> list[dict[str, Any]]:
    """The phases in order, with numbers of submissions; a constant number of queries.

    `in_time` are late submissions that came before the end of now; `nobody`: open to
    chosen teams, and none was chosen.
    """
    now = timezone.now()
    phases = list(
        # Grouping drops the order of the model.
        task.phases.annotate(teams=Count("chosen"))
        .order_by("position", "pk")
        .prefetch_related("test_sets")
    )
    numbers = _numbers(task)
    return [
        {
            "phase": phase,
            "state": phase.state(now),
            "test_sets": list(phase.test_sets.all()),
            **numbers.get(phase.pk, NONE),
            "chosen": phase.teams,
            "first": place == 0,
            "last": place == len(phases) - 1,
            "nobody": phase.who == Phase.Who.CHOSEN and not phase.teams,
        }
        for place, phase in enumerate(phases)
    ]


def _numbers(task: Task) -> dict[int, dict[str, int]]:
    """Submissions per phase, counted by what became of them."""
    late = Q(late=True)
    in_time = late & Q(received_at__lt=F("phase__closes"))
    # “late” alone would hide the column of that name.
    rows = (
        Submission.objects.filter(phase__task=task)
        .order_by()
        .values("phase")
        .annotate(
            n_sent=Count("pk"),
            n_late=Count("pk", filter=late),
            n_in_time=Count("pk", filter=in_time),
        )
    )
    return {row["phase"]: {name: row[f"n_{name}"] for name in NONE} for row in rows}


def move_phase(phase: Phase, step: int) -> None:
    """Up (-1) or down (1) among the phases of its task; at the end nothing happens."""
    with transaction.atomic():
        lock_task(phase.task_id)
        phases = sorted(lock_phases(phase.task_id), key=lambda p: (p.position, p.pk))
        places = [one.pk for one in phases]
        if phase.pk not in places:
            return  # deleted meanwhile
        place = places.index(phase.pk)
        phases.insert(max(0, place + step), phases.pop(place))
        for position, one in enumerate(phases):
            if one.position != position:
                one.position = position
                one.save(update_fields=["position"])


def delete_phase(phase: Phase) -> None:
    """Delete a phase to which nothing was sent; its public notices stay.

    Raises Refusal.
    """
    sentence = _(
        "%(phase)s holds submissions. What teams sent is not deleted; close the "
        "phase or pause it instead."
    ) % {"phase": phase.title}
    try:
        with transaction.atomic():
            lock_task(phase.task_id)
            lock_phases(phase.task_id)
            if phase.submissions.exists():
                raise Refusal(sentence)
            Notice.objects.filter(phase=phase).update(phase=None)
            phase.delete()
    except ProtectedError:
        raise Refusal(sentence) from None


def pause_phase(phase: Phase, paused: bool, note: str, by: User) -> None:
    """Refuse uploads from now on, or go on; what was accepted is scored as usual."""
    with transaction.atomic():
        was = lock_phase(phase).paused
        phase.paused, phase.paused_note = paused, note
        phase.save(update_fields=["paused", "paused_note"])
        if was != paused:
            announce_pause(phase, by)


def announce_pause(phase: Phase, by: User) -> None:
    """Say in the public log that a phase was paused, or goes on."""
    if phase.task.draft:
        return
    with in_english():
        words = (
            _("%(phase)s is paused: uploads are refused.")
            if phase.paused
            else _("%(phase)s goes on: teams can submit again.")
        )
        text = f"{words % {'phase': phase.title}} {phase.paused_note}".strip()
    Notice.objects.create(
        task=phase.task, phase=phase, kind=Notice.Kind.DEADLINE, text=text, by=by
    )


Publication = Phase.Publication


@dataclass(frozen=True)
class Cost:
    """Differences up to `points` stay unseen; `measured` on what was sent so far.

    Without points there are too few units to round anything.
    """

    publication: str
    points: float | None
    measured: bool


def costs_of(phase: Phase) -> list[Cost]:
    """Of grid and ladder with the phase's step, or the usual one; none for a new phase.

    A constant number of queries.
    """
    if phase.pk is None:
        return []
    found = []
    files = GoldFile.objects.filter(
        revision=phase.gold_revision_id, test_set__in=phase.test_sets.all()
    )
    units = dict(files.values_list("test_set__title", "units"))
    for kind in (Publication.GRID, Publication.LADDER):
        assumed = copy(phase)
        assumed.step = phase.step if phase.publication == kind else None
        assumed.publication = kind
        if any(too_few(assumed, units)):
            found.append(Cost(kind.value, None, False))
            continue
        cost = resolution(assumed, kind)
        found.append(Cost(kind.value, cost.points, cost.measured))
    return found


def move_end(
    phase: Phase, new: datetime, note: str, by: User, *, known: datetime | None
) -> Notice:
    """Move the end of a phase and say so in public.

    `known` is the end that the organizer saw: with another one by now nothing is
    done. Raises Refusal, or ValidationError where other times of the phase do not
    fit the new end.
    """
    with transaction.atomic():
        locked = lock_phase(phase)
        _require(locked, new, known)
        old, locked.closes = locked.closes, new
        phase_rules.check(locked)
        locked.save(update_fields=["closes"])
        # Where no reveal is set, the end is when everything is shown.
        Phase.objects.filter(pk=phase.pk).touch_boards()
        return Notice.objects.create(
            task=phase.task,
            phase=phase,
            kind=Notice.Kind.DEADLINE,
            text=f"{_said(locked, old)} {note}".strip(),
            by=by,
        )


def _require(phase: Phase, new: datetime, known: datetime | None) -> None:
    if phase.closes != known:
        raise Refusal(_("Somebody changed the end in the meantime; look again."))
    if new == phase.closes:
        raise Refusal(_("That is the end it has."))
    after = copy(phase)
    after.closes = new
    declared = phase.declared_at is not None
    for _name, why in phase_rules.moved(
        phase, after, timezone.now(), declared=declared
    ):
        raise Refusal(why)


def _said(phase: Phase, old: datetime | None) -> str:
    with in_english():
        values = {"phase": phase.title, "new": written(phase.closes, phase.zone)}
        if old is None:
            return _("%(phase)s now closes %(new)s.") % values
        values["old"] = written(old, phase.zone)
        return _("%(phase)s closes %(new)s instead of %(old)s.") % values


def in_time(phase: Phase) -> SubmissionQuerySet:
    """Late submissions that came before the end as it is now."""
    found = Submission.objects.filter(
        phase=phase,
        late=True,
        withdrawn_at__isnull=True,
        disqualified_at__isnull=True,
        participation__status=Participation.Status.ACTIVE,
    )
    return found.filter(received_at__lt=phase.closes) if phase.closes else found


@dataclass
class Admitted:
    """How many were let in, and why others stay late: system and reason."""

    number: int = 0
    left: list[tuple[Submission, str]] = field(default_factory=list)


def let_in(
    phase: Phase, old: datetime | None, asked_at: datetime | None, by: User
) -> Admitted:
    """Let in what came after the `old` end, if a later one was asked for before it.

    In a rush an answer takes seconds: what counts is when the request came. Inside the
    transaction that moves the end, so that what is accepted after it is in time.
    """
    phase.refresh_from_db(fields=["closes"])
    if old is None or asked_at is None or asked_at >= old:
        return Admitted()
    return admit_in_time(phase, by, since=old)


def admit_in_time(phase: Phase, by: User, since: datetime | None = None) -> Admitted:
    """Let in, in order of receipt, what came before the end as it is now.

    Each is charged like others of its day; what finds no attempt left stays late.
    `since`: nothing that came before that.
    """
    found = Admitted()
    related = ("phase__task", "participation__team", "sender")
    late = in_time(phase).select_related(*related).order_by("received_at")
    for submission in late.filter(received_at__gte=since) if since else late:
        try:
            admin_actions.admit(submission, by)
            found.number += 1
        except Refusal as reason:
            found.left.append((submission, str(reason)))
    admin_actions.announce_admitted(phase, found.number, by)
    return found


@require_safe
@access(SEE)
def listing(request: HttpRequest, task: Task) -> HttpResponse:
    context = {
        "task": task,
        "lines": lines(task),
        "edits": can(request.user, task, Power.EDIT),
        "ready": task.gold_revisions.live() is not None,
    }
    return render(request, "organize/phases.html", context)


@form_page
@access(EDIT)
def new(request: HttpRequest, task: Task) -> HttpResponse:
    if request.method != "POST":
        return _new(request, task)
    with task_locked(task) as now:
        return _new(request, now)


def _new(request: HttpRequest, task: Task) -> HttpResponse:
    revision = task.gold_revisions.live()
    if revision is None:
        messages.error(request, _("A phase needs gold: add a test set first."))
        return redirect("organize-phases", task.slug)
    phase = blank(task)
    phase.gold_revision = revision
    return _form_page(request, task, phase)


@form_page
@access(EDIT)
def edit(request: HttpRequest, task: Task, phase: str) -> HttpResponse:
    found = _phase_or_404(task, phase)
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
    return form_response(request, "organize/phase.html", context)


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
@access(EDIT)
def deadline(request: HttpRequest, task: Task, phase: str) -> HttpResponse:
    """Move the end of a phase; late submissions are let in on another click."""
    found = _phase_or_404(task, phase)
    form = DeadlineForm(found, request.POST or None)
    if request.method == "POST" and form.is_valid() and _moved(request, found, form):
        messages.success(request, _("The end is moved, and everybody can read it."))
        return redirect("organize-deadline", task.slug, phase)
    context = {
        "task": found.task,
        "phase": found,
        "state": found.state(),
        "form": form,
        "in_time": in_time(found).count() if found.closes else 0,
        "late": Submission.objects.filter(phase=found, late=True).count(),
    }
    return form_response(request, "organize/deadline.html", context)


def _moved(request: HttpRequest, phase: Phase, form: DeadlineForm) -> bool:
    given = form.cleaned_data
    closes, note, known = given["closes"], given["note"], given["known"]
    try:
        with transaction.atomic():
            move_end(phase, closes, note, request.user, known=known)
            came = arrived_at(request)
            admitted = let_in(phase, known, came, request.user)
    except Refusal as reason:
        form.add_error("closes", str(reason))
    except ValidationError as error:
        form.add_error("closes", error.messages)
    else:
        if admitted.number or admitted.left:
            _tell(request, admitted)
    return form.is_valid()


@require_POST
@access(EDIT)
def admit(request: HttpRequest, task: Task, phase: str) -> HttpResponse:
    """Let in what came late but before the end as it is now."""
    found = _phase_or_404(task, phase)
    _tell(request, admit_in_time(found, request.user))
    return redirect("organize-deadline", task.slug, phase)


def _tell(request: HttpRequest, admitted: Admitted) -> None:
    sentence = ngettext(
        "%(n)s late submission is let in and queued.",
        "%(n)s late submissions are let in and queued.",
        admitted.number,
    )
    messages.success(request, sentence % {"n": admitted.number})
    for submission, reason in admitted.left:
        stays = _("%(submission)s stays late: %(reason)s.")
        values = {"submission": submission, "reason": reason}
        messages.warning(request, stays % values)


@require_POST
@access(EDIT)
def pause(request: HttpRequest, task: Task, phase: str) -> HttpResponse:
    """Pause with a note, or go on where `go_on` is sent."""
    found = _phase_or_404(task, phase)
    if "go_on" in request.POST:
        pause_phase(found, False, "", request.user)
        sentence = _("%(phase)s goes on: teams can submit again.")
    else:
        longest = Phase._meta.get_field("paused_note").max_length
        note = request.POST.get("note", "").strip()[:longest]
        pause_phase(found, True, note, request.user)
        sentence = _("%(phase)s is paused: uploads are refused, nothing is charged.")
    messages.success(request, sentence % {"phase": found.title})
    return redirect("organize-phases", task.slug)


@require_POST
@access(EDIT)
def move(request: HttpRequest, task: Task, phase: str) -> HttpResponse:
    found = _phase_or_404(task, phase)
    move_phase(found, -1 if request.POST.get("to") == "up" else 1)
    return redirect("organize-phases", task.slug)


@form_page
@access(EDIT)
def delete(request: HttpRequest, task: Task, phase: str) -> HttpResponse:
    """Ask first; what holds submissions stays."""
    found = _phase_or_404(task, phase)
    context = {"task": found.task, "phase": found, "sent": found.submissions.count()}
    if request.method != "POST":
        return render(request, "organize/phase_delete.html", context)
    try:
        delete_phase(found)
    except Refusal:
        return render(request, "organize/phase_delete.html", context, status=422)
    messages.success(request, _("%(phase)s is deleted.") % {"phase": found.title})
    return redirect("organize-phases", task.slug)


def _phase_or_404(task: Task, name: str) -> Phase:
    """A phase of a task that the reader may edit."""
    phases = Phase.objects.select_related("task", "gold_revision")
    return get_object_or_404(phases, task=task, name=name)
