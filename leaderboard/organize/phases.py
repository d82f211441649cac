"""Phases of a task: listed, made, changed, moved, paused, deleted, their end moved."""

from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, ProtectedError, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from leaderboard.organize import parts
from leaderboard.organize.forms import ConfirmPage, FormPage, LockedPage
from leaderboard.organize.messages import SentAlready, mail_notice
from leaderboard.organize.phase_form import DeadlineForm, PhaseForm, blank
from leaderboard.organize.policy_example import views
from leaderboard.submissions import admin_actions
from leaderboard.submissions.models import Submission, SubmissionQuerySet
from leaderboard.submissions.uploads import arrived_at
from leaderboard.tasks import phase_rules
from leaderboard.tasks.access import EDIT, SEE, lock_phase, lock_phases, lock_task
from leaderboard.tasks.models import Extension, Notice, Participation, Phase, Task
from leaderboard.tasks.policy import Power, can
from leaderboard.teams.models import User, check_seen
from leaderboard.teams.refusal import Refusal
from leaderboard.teams.requests import SignedInRequest
from leaderboard.web.access import access
from leaderboard.web.forms import longest, posted_data
from leaderboard.web.languages import in_english
from leaderboard.web.templatetags.formats import written


def delete_phase(phase: Phase) -> None:
    """Delete a phase to which nothing was sent; its public notices stay.

    Raises ProtectedError.
    """
    with transaction.atomic():
        lock_task(phase.task_id)
        lock_phases(phase.task_id)
        Notice.objects.filter(phase=phase).update(phase=None)
        phase.delete()


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


def move_end(
    phase: Phase, new: datetime, note: str, by: User, *, expected: datetime | None
) -> Notice:
    """Move the end of a phase and say so in public.

    `expected` is the end that the organizer saw: with another one by now nothing is
    done. Raises Refusal, or ValidationError where other times of the phase do not
    fit the new end.
    """
    with transaction.atomic():
        locked = lock_phase(phase)
        old = copy(locked)
        if old.closes != expected:
            raise Refusal(_("Somebody changed the end in the meantime; look again."))
        if old.closes == new:
            raise Refusal(_("That is the end it has."))
        locked.closes = new
        declared = old.declared_at is not None
        now = timezone.now()
        for _name, why in phase_rules.reasons_against_times(
            old, locked, now, declared=declared
        ):
            raise Refusal(why)
        phase_rules.check(locked)
        locked.save(update_fields=["closes"])
        # Where no reveal is set, the end is when everything is shown.
        Phase.objects.filter(pk=phase.pk).touch_boards()
        return _notice_of_end(locked, old.closes, note, by)


def _notice_of_end(phase: Phase, old: datetime | None, note: str, by: User) -> Notice:
    return Notice.objects.create(
        task=phase.task,
        phase=phase,
        kind=Notice.Kind.DEADLINE,
        text=f"{_new_end(phase, old)} {note}".strip(),
        by=by,
    )


def _new_end(phase: Phase, old: datetime | None) -> str:
    assert phase.closes is not None
    with in_english():
        values = {"phase": phase.title, "new": written(phase.closes, phase.zone)}
        if old is None:
            return _("%(phase)s now closes %(new)s.") % values
        values["old"] = written(old, phase.zone)
        return _("%(phase)s closes %(new)s instead of %(old)s.") % values


def in_time(phase: Phase) -> SubmissionQuerySet:
    """Late submissions that came before the end as it is now, for their team."""
    late = Submission.objects.filter(
        phase=phase,
        late=True,
        withdrawn_at__isnull=True,
        disqualified_at__isnull=True,
        participation__status=Participation.Status.ACTIVE,
    )
    if phase.closes is None:
        return late
    given = Extension.objects.filter(
        phase=phase,
        participation=OuterRef("participation"),
        until__gt=OuterRef("received_at"),
    )
    return late.filter(Q(received_at__lt=phase.closes) | Exists(given))


@dataclass
class Admitted:
    """How many were let in, and why others stay late: system and reason.

    `mailed`: how many people a mail about the new end goes to.
    """

    number: int = 0
    left: list[tuple[Submission, str]] = field(default_factory=list)
    mailed: int = 0


def move_end_and_admit(
    phase: Phase,
    closes: datetime,
    note: str,
    by: User,
    *,
    expected: datetime | None,
    asked_at: datetime | None,
    mail: bool,
) -> Admitted:
    """Move the end as `move_end` does, let in as `let_in` does, and write to teams."""
    with transaction.atomic():
        notice = move_end(phase, closes, note, by, expected=expected)
        admitted = let_in(phase, expected, asked_at, by)
        admitted.mailed = mail_end(notice) if mail else 0
        return admitted


def mail_end(notice: Notice) -> int:
    """Send the notice of a new end by mail; how many people are written to."""
    if notice.task.draft:
        return 0
    with suppress(SentAlready):  # back and forth within minutes
        return mail_notice(notice)
    return 0


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
    admitted = Admitted()
    related = ("phase__task", "participation__team", "sender")
    late = in_time(phase).select_related(*related).order_by("received_at")
    for submission in late.filter(received_at__gte=since) if since else late:
        try:
            admin_actions.admit(submission, by)
            admitted.number += 1
        except Refusal as reason:
            admitted.left.append((submission, str(reason)))
    admin_actions.announce_admitted(phase, admitted.number, by)
    return admitted


@require_safe
@access(SEE)
def listing(request: HttpRequest, task: Task) -> HttpResponse:
    """The phases with numbers of submissions; a constant number of queries.

    `in_time` are late submissions that came before the end of now.
    """
    late = Q(submissions__late=True)
    phases = task.phases.annotate(
        sent=Count("submissions"),
        late=Count("submissions", filter=late),
        in_time=Count(
            "submissions", filter=late & Q(submissions__received_at__lt=F("closes"))
        ),
    )
    context = {
        "task": task,
        # Grouping drops the order of the model.
        "phases": phases.order_by("position", "pk").prefetch_related(
            "test_sets", "chosen"
        ),
        "edits": can(request.user, task, Power.EDIT),
        "ready": task.gold_revisions.live() is not None,
    }
    return render(request, "organize/phases.html", context)


class PhasePage(LockedPage):
    """The form of a phase."""

    mark = EDIT.of_phase
    template_name = "organize/phase.html"
    style = "phases.css"
    width = "long-form"
    back = ("organize-phases", gettext_lazy("Cancel"))
    done = "organize-phases"

    def get_form(self) -> PhaseForm:
        self.title = self.row.title
        return PhaseForm(*posted_data(self.request), instance=self.row)

    def save(self, form: PhaseForm) -> str:
        user: Any = self.request.user
        form.store()
        phase, note = form.instance, form.cleaned_data["note"]
        if form.sudden:
            notice = _notice_of_end(phase, form.before.phase.closes, note, user)
            if form.cleaned_data["mail"]:
                _tell_mailed(self.request, mail_end(notice))
        elif form.effects:
            Notice.objects.create(
                task=phase.task,
                phase=phase,
                kind=Notice.Kind.RULES,
                text=f"{phase.title}: {note}",
                by=user,
            )
        return _("%(phase)s is saved.") % {"phase": phase.title}

    def context(self, form: PhaseForm) -> dict[str, Any]:
        before = form.before.phase
        rows = views(before) if before.pk else ()
        return {"phase": before, "views": rows}


class NewPhasePage(PhasePage):
    """The same form for a phase that is not there yet."""

    mark = EDIT
    title = gettext_lazy("New phase")

    def dispatch(self, request: HttpRequest, *_args: Any, **_found: Any) -> Any:
        if self.task.gold_revisions.live() is None:
            messages.error(request, _("A phase needs gold: add a test set first."))
            return redirect("organize-phases", self.task.slug)
        return super().dispatch(request)

    def get_form(self) -> PhaseForm:
        phase = blank(self.task)
        phase.gold_revision = self.task.gold_revisions.live()  # type: ignore[assignment]
        initial = {"test_sets": self.task.test_sets.all()}
        return PhaseForm(*posted_data(self.request), instance=phase, initial=initial)


class DeadlinePage(FormPage):
    """Moves the end of a phase; late submissions are let in on another click."""

    mark = EDIT.of_phase
    form_class = DeadlineForm
    template_name = "organize/deadline.html"
    title = gettext_lazy("Deadline")
    heading = gettext_lazy("Deadline of %(title)s")
    button = gettext_lazy("Move the end")
    saved = gettext_lazy("The end is moved, and everybody can read it.")
    style = "phases.css"
    width = "long-form"
    back = ("organize-phases", gettext_lazy("Back"))
    refused_at = "closes"

    def save(self, form: DeadlineForm) -> None:
        values = form.cleaned_data
        admitted = move_end_and_admit(
            self.phase,
            values["closes"],
            values["note"],
            self.request.user,
            expected=values["known"],
            asked_at=arrived_at(self.request),
            mail=values["mail"],
        )
        if admitted.number or admitted.left:
            _tell(self.request, admitted)
        _tell_mailed(self.request, admitted.mailed)

    def context(self, form: DeadlineForm) -> dict[str, Any]:
        phase = self.phase
        return {
            "state": phase.state(),
            "in_time": in_time(phase).count() if phase.closes else 0,
            "late": Submission.objects.filter(phase=phase, late=True).count(),
            "owns": can(self.request.user, phase.task, Power.OWN),
        }


def _tell_mailed(request: HttpRequest, number: int) -> None:
    if number:
        sentence = ngettext(
            "Mailed to %(n)s person.", "Mailed to %(n)s people.", number
        )
        messages.success(request, sentence % {"n": number})


@require_POST
@access(EDIT.of_phase)
def admit(request: SignedInRequest, phase: Phase) -> HttpResponse:
    """Let in what came late but before the end as it is now."""
    _tell(request, admit_in_time(phase, request.user))
    return redirect("organize-deadline", phase.task.slug, phase.name)


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


class PauseForm(forms.Form):
    """A note to teams, for as long as nothing is taken."""

    note = forms.CharField(
        label=gettext_lazy("Pause, with a note to participants"),
        max_length=longest(Phase, "paused_note"),
        required=False,
        validators=[check_seen],
    )


@require_POST
@access(EDIT.of_phase)
def pause(request: SignedInRequest, phase: Phase) -> HttpResponse:
    """Pause with a note, or go on where `go_on` is sent."""
    if "go_on" in request.POST:
        pause_phase(phase, False, "", request.user)
        sentence = _("%(phase)s goes on: teams can submit again.")
    else:
        form = PauseForm(request.POST)
        if not form.is_valid():
            messages.error(request, str(form.errors["note"][0]))
            return redirect("organize-phases", phase.task.slug)
        pause_phase(phase, True, form.cleaned_data["note"], request.user)
        sentence = _("%(phase)s is paused: uploads are refused, nothing is charged.")
    messages.success(request, sentence % {"phase": phase.title})
    return redirect("organize-phases", phase.task.slug)


@require_POST
@access(EDIT.of_phase)
def move(request: HttpRequest, phase: Phase) -> HttpResponse:
    with transaction.atomic():
        parts.move(lock_phase(phase), -1 if request.POST.get("to") == "up" else 1)
    return redirect("organize-phases", phase.task.slug)


class DeletePhasePage(ConfirmPage):
    """Asks whether a phase shall go; one that holds submissions stays."""

    mark = EDIT.of_phase
    title = gettext_lazy("Delete a phase")
    heading = gettext_lazy("Delete %(title)s?")
    lead = gettext_lazy(
        "Nothing was submitted to it. Its page, address and settings are deleted; "
        "public notices about it stay."
    )
    button = gettext_lazy("Delete the phase")
    back = ("organize-phases", gettext_lazy("Keep it"))
    done = "organize-phases"

    @cached_property
    def why_not(self) -> str:
        n = self.phase.submissions.count()
        words = ngettext(
            "%(title)s holds %(n)s submission. What teams sent is not deleted; close "
            "the phase or pause it instead.",
            "%(title)s holds %(n)s submissions. What teams sent is not deleted; close "
            "the phase or pause it instead.",
            n,
        )
        return words % {"title": self.phase.title, "n": n} if n else ""

    def save(self, form: Any) -> str:
        try:
            delete_phase(self.phase)
        except ProtectedError:
            raise Refusal(self.why_not) from None
        return _("%(phase)s is deleted.") % {"phase": self.phase.title}
