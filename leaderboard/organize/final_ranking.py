"""Snapshots of a board: any time as it is, and at the end as the final ranking."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import (
    require_POST,
    require_safe,
)

from leaderboard.boards import snapshots
from leaderboard.boards.exports.table import of_values
from leaderboard.boards.snapshots import Wanted
from leaderboard.organize.forms import done, form_page, form_response
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks import policy
from leaderboard.tasks.access import EDIT, EDIT_PHASE, lock_phase, lock_task
from leaderboard.tasks.models import Notice, Participation, Phase, Snapshot, Task
from leaderboard.teams.models import User, check_display_name
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access

BoardValues = Sequence[Mapping[str, Any]]
Status = Participation.Status


@dataclass(frozen=True)
class Matter:
    """Something that is still open. `address` is where it is settled, with its phase
    if that belongs into it."""

    text: str
    address: str
    of_phase: bool = False


@dataclass(frozen=True)
class RankingPreview:
    """What would be frozen; `seen` is its hash."""

    boards: BoardValues
    matters: Sequence[Matter]

    @property
    def seen(self) -> str:
        return snapshots.digest(self.boards)


@dataclass(frozen=True)
class Declaration:
    """What an organizer confirms: the boards seen, why anew, and the open matters."""

    seen: str
    note: str
    matters_known: bool
    by: User


def why_not_final(phase: Phase, now: datetime) -> str:
    """What stands against declaring; empty if nothing does."""
    if phase.task.draft:
        return _("The task is a draft.")
    if phase.closes is None:
        return _("The phase has no end. Set one first.")
    if phase.state(now) != "over":
        return _("The phase is not over yet.")
    if not policy.revealed(phase, now):
        return _("Its scores are not revealed yet.")
    return ""


def preview(phase: Phase) -> RankingPreview:
    """The boards as the public sees them now, and what is open; constant queries."""
    boards = snapshots.public_boards(phase, timezone.now())
    return RankingPreview(snapshots.as_values(boards), list(matters(phase)))


def matters(phase: Phase) -> Iterator[Matter]:
    """What could still change the ranking."""
    late, undecided = _sent(phase)
    if late:
        text = ngettext(
            "%(n)d late upload is not admitted and does not count.",
            "%(n)d late uploads are not admitted and do not count.",
            late,
        )
        yield Matter(text % {"n": late}, "organize-deadline", True)
    yield from _of_scoring(phase)
    if _has_draft_gold(phase):
        yield Matter(_("Corrected gold is a draft and not live."), "organize-gold")
    if undecided:
        text = ngettext(
            "%(n)d submission is of a team that waits for admission.",
            "%(n)d submissions are of teams that wait for admission.",
            undecided,
        )
        yield Matter(text % {"n": undecided}, "organize-people")
    if phase.counts == Phase.CountingRule.CHOSEN and (n := _without_choice(phase)):
        text = ngettext(
            "%(n)d team chose no submission: its last one counts.",
            "%(n)d teams chose no submission: their last ones count.",
            n,
        )
        yield Matter(text % {"n": n}, "organize-people")


def _sent(phase: Phase) -> tuple[int, int]:
    """Late uploads, and submissions of teams that wait for admission."""
    standing = Submission.objects.filter(
        phase=phase, withdrawn_at=None, disqualified_at=None
    )
    late = Q(late=True, participation__status=Status.ACTIVE)
    waits = Q(late=False, participation__status=Status.PENDING)
    found = standing.aggregate(
        n_late=Count("pk", filter=late), n_waits=Count("pk", filter=waits)
    )
    return found["n_late"], found["n_waits"]


def _of_scoring(phase: Phase) -> Iterator[Matter]:
    found = Evaluation.objects.filter(
        submission__in=Submission.objects.filter(phase=phase).counted(),
        gold_revision=phase.gold_revision_id,
    ).aggregate(
        waiting=Count(
            "pk", filter=Q(state__in=(EvaluationState.QUEUED, EvaluationState.RUNNING))
        ),
        failed=Count("pk", filter=Q(state=EvaluationState.FAILED_SYSTEM)),
    )
    if n := found["waiting"]:
        text = ngettext(
            "%(n)d evaluation is not through.", "%(n)d evaluations are not through.", n
        )
        yield Matter(text % {"n": n}, "organize")
    if n := found["failed"]:
        text = ngettext(
            "%(n)d evaluation failed on our side.",
            "%(n)d evaluations failed on our side.",
            n,
        )
        yield Matter(text % {"n": n}, "organize")


def _has_draft_gold(phase: Phase) -> bool:
    drafts = Q(live_at=None, discarded_at=None) | Q(preparing=True)
    return bool(phase.task.gold_revisions.filter(drafts).exists())


def _without_choice(phase: Phase) -> int:
    counted = Submission.objects.filter(phase=phase, baseline=False).counted()
    own = counted.filter(participation=OuterRef("pk"))
    entries = Participation.objects.filter(Exists(own), task=phase.task_id)
    return int(entries.exclude(Exists(own.filter(picked=True))).count())


def declare_final(phase: Phase, wish: Declaration) -> Snapshot:
    """Freeze the board of a phase as its final ranking, for good, and say so.

    Raises Refusal. A later declaration may replace it, with a note; the one
    replaced stays readable.
    """
    with transaction.atomic():
        locked = lock_phase(phase)
        now = timezone.now()
        if why := why_not_final(locked, now):
            raise Refusal(why)
        found = preview(locked)
        finals = snapshots.of_phase(locked).filter(final=True)
        earlier = list(finals.values_list("sha256", flat=True))
        _require(found, wish, again=bool(earlier))
        wanted = Wanted(
            by=wish.by,
            at=now,
            title=_("Final ranking"),
            note=wish.note,
            final=True,
            replaces=earlier,
        )
        snapshot = snapshots.take(locked, found.boards, wanted)
        locked.declared_at, locked.declared_by = now, wish.by
        locked.save(update_fields=["declared_at", "declared_by"])
        _announce(snapshot, wish, again=bool(earlier))
    return snapshot


def _require(found: RankingPreview, wish: Declaration, again: bool) -> None:
    if not found.boards[0]["rows"]:
        raise Refusal(_("There is nothing on the board."))
    if found.seen != wish.seen:
        raise Refusal(_("The board changed since you looked; look again."))
    if again and not wish.note.strip():
        raise Refusal(_("Say why a new ranking replaces the declared one."))
    if found.matters and not wish.matters_known:
        raise Refusal(_("Confirm that the open matters shall stay as they are."))


def _announce(snapshot: Snapshot, wish: Declaration, again: bool) -> None:
    values = {"phase": snapshot.phase.title, "hash": snapshot.sha256[:16]}
    first = "The final ranking of %(phase)s was declared (%(hash)s)."
    anew = (
        "A new final ranking of %(phase)s was declared (%(hash)s). It "
        "replaces the one before, which stays readable."
    )
    text = (anew if again else first) % values
    Notice.objects.create(
        task=snapshot.phase.task,
        phase=snapshot.phase,
        kind=Notice.Kind.RANKING,
        text=f"{text} {wish.note}".strip(),
        by=wish.by,
    )


def take_snapshot(phase: Phase, title: str, by: User) -> Snapshot:
    """Keep the boards as the public sees them now. Raises Refusal."""
    with transaction.atomic():
        task = lock_task(phase.task_id)
        rows = Phase.objects.select_related("task", "gold_revision")
        locked = get_object_or_404(rows, pk=phase.pk)
        if task.draft:
            raise Refusal(_("The task is a draft: the public sees nothing of it."))
        now = timezone.now()
        boards = snapshots.public_boards(locked, now)
        if not boards[0].rows:
            raise Refusal(_("The public sees no row of this board now."))
        wanted = Wanted(by=by, at=now, title=title)
        return snapshots.take(locked, snapshots.as_values(boards), wanted)


class DeclareForm(forms.Form):
    """`seen` is the hash of the boards that the organizer looked at."""

    seen = forms.CharField(max_length=64, widget=forms.HiddenInput)
    note = forms.CharField(
        required=False,
        max_length=1000,
        label=gettext_lazy("Public note"),
        help_text=gettext_lazy("It stands in the log of changes for good."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    matters_known = forms.BooleanField(
        required=False, label=gettext_lazy("The open matters stay as they are")
    )


class SnapshotForm(forms.Form):
    title = forms.CharField(
        max_length=120,
        required=False,
        label=gettext_lazy("Title"),
        validators=[check_display_name],
    )


@require_safe
@access(EDIT)
def ranking(request: HttpRequest, task: Task) -> HttpResponse:
    """The phases with what was frozen of each."""
    return _overview(request, task, SnapshotForm())


def _overview(
    request: HttpRequest, task: Task, form: SnapshotForm, refused: str = ""
) -> HttpResponse:
    now = timezone.now()
    rows = Snapshot.objects.filter(phase__task=task).defer("data")
    taken: dict[int, list[Snapshot]] = {}
    for snapshot in rows.select_related("phase__task", "gold_revision"):
        taken.setdefault(snapshot.phase_id, []).append(snapshot)
    lines = []
    for phase in task.phases.all():
        phase.task = task
        why_not = why_not_final(phase, now)
        found = {"phase": phase, "why_not": why_not, "state": phase.state(now)}
        lines.append({**found, "snapshots": taken.get(phase.pk, [])})
    context = {"task": task, "lines": lines, "form": form, "refused": refused}
    return form_response(request, "organize/ranking.html", context)


@form_page
@access(EDIT_PHASE)
def declare(request: HttpRequest, phase: Phase) -> HttpResponse:
    """The board that would be frozen with what is open, and the button."""
    if why_not := why_not_final(phase, timezone.now()):
        return _overview(
            request, phase.task, SnapshotForm(), f"{phase.title}: {why_not}"
        )
    form = DeclareForm(request.POST or None)

    declared: list[Snapshot] = []

    def act() -> None:
        wish = Declaration(by=request.user, **form.cleaned_data)
        declared.append(declare_final(phase, wish))

    if done(request, form, act, _("The final ranking is declared.")):
        return redirect(snapshots.address_of(declared[0]))
    return _declare_page(request, phase, form)


def _declare_page(
    request: HttpRequest, phase: Phase, form: DeclareForm
) -> HttpResponse:
    shown: RankingPreview = preview(phase)
    form.initial["seen"] = shown.seen
    if form.is_bound:
        # What is looked at now is what the next press of the button confirms.
        form.data = form.data.copy()
        form.data["seen"] = shown.seen
    context: dict[str, Any] = {
        "task": phase.task,
        "phase": phase,
        "form": form,
        "matters": shown.matters,
        "boards": [of_values(phase, data) for data in shown.boards],
        "earlier": snapshots.newest_final(phase),
    }
    return form_response(request, "organize/declare.html", context)


@require_POST
@access(EDIT_PHASE)
def freeze(request: HttpRequest, phase: Phase) -> HttpResponse:
    """An ordinary snapshot of what the public sees."""
    form = SnapshotForm(request.POST)
    if not form.is_valid():
        return _overview(request, phase.task, form)
    try:
        snapshot = take_snapshot(phase, form.cleaned_data["title"], request.user)
    except Refusal as reason:
        return _overview(request, phase.task, form, f"{phase.title}: {reason}")
    messages.success(request, _("The board was frozen."))
    return redirect(snapshots.address_of(snapshot))
