"""Snapshots of a board: any time as it is, and at the end as the final ranking."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Exists, OuterRef, Prefetch, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.boards import snapshots
from leaderboard.boards.exports.table import ExportTable
from leaderboard.boards.snapshots import Wanted
from leaderboard.organize.forms import FormPage
from leaderboard.results.status import WAITING
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks import policy
from leaderboard.tasks.access import EDIT, lock_phase, lock_task
from leaderboard.tasks.models import Notice, Participation, Phase, Snapshot
from leaderboard.teams.models import User, check_display_name
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import Access
from leaderboard.web.forms import longest

Status = Participation.Status


class Matter(NamedTuple):
    """Something that is still open, and the address where it is settled."""

    text: str
    address: str


def why_not_final(phase: Phase, now: datetime) -> str:
    """A reason against declaring; empty if there is none."""
    if phase.task.draft:
        return _("The task is a draft.")
    if phase.closes is None:
        return _("The phase has no end. Set one first.")
    if phase.state(now) != "over":
        return _("The phase is not over yet.")
    if not policy.is_revealed(phase, now):
        return _("Its scores are not revealed yet.")
    return ""


def public_boards(phase: Phase) -> list[Mapping[str, Any]]:
    """The boards that would be frozen: as the public sees them now."""
    return snapshots.as_values(snapshots.public_boards(phase, timezone.now()))


def matters(phase: Phase) -> list[Matter]:
    """Everything that could still change the final ranking; a constant number of
    queries."""
    counts, slug = _open_counts(phase), phase.task.slug
    start = reverse("organize", args=[slug])
    people = reverse("organize-people", args=[slug])
    numbers = (
        (
            counts["late"],
            ngettext(
                "%(n)d late upload is not admitted and does not count.",
                "%(n)d late uploads are not admitted and do not count.",
                counts["late"],
            ),
            reverse("organize-deadline", args=[slug, phase.name]),
        ),
        (
            counts["waiting"],
            ngettext(
                "%(n)d evaluation is not through.",
                "%(n)d evaluations are not through.",
                counts["waiting"],
            ),
            start,
        ),
        (
            counts["awaiting"],
            ngettext(
                "%(n)d submission waits for judgements.",
                "%(n)d submissions wait for judgements.",
                counts["awaiting"],
            ),
            start,
        ),
        (
            counts["failed"],
            ngettext(
                "%(n)d evaluation failed on our side.",
                "%(n)d evaluations failed on our side.",
                counts["failed"],
            ),
            start,
        ),
        (
            counts["drafts"],
            _("Corrected gold is a draft and not live."),
            reverse("organize-gold", args=[slug]),
        ),
        (
            counts["undecided"],
            ngettext(
                "%(n)d submission is of a team that waits for admission.",
                "%(n)d submissions are of teams that wait for admission.",
                counts["undecided"],
            ),
            people,
        ),
        (
            counts["without_choice"],
            ngettext(
                "%(n)d team chose no submission: its last one counts.",
                "%(n)d teams chose no submission: their last ones count.",
                counts["without_choice"],
            ),
            people,
        ),
    )
    return [Matter(text % {"n": n}, address) for n, text, address in numbers if n]


def _open_counts(phase: Phase) -> dict[str, int]:
    """Numbers of what is still open, by what it is."""
    submissions = Submission.objects.filter(phase=phase)
    standing = submissions.filter(withdrawn_at=None, disqualified_at=None)
    late = standing.filter(late=True, participation__status=Status.ACTIVE)
    undecided = standing.filter(late=False, participation__status=Status.PENDING)
    work = Evaluation.objects.filter(
        submission__in=submissions.counted(), gold_revision=phase.gold_revision_id
    )
    drafts = Q(live_at=None, discarded_at=None) | Q(preparing=True)
    chooses = phase.counts == Phase.CountingRule.CHOSEN
    return {
        "late": late.count(),
        "waiting": work.filter(state__in=WAITING).count(),
        "awaiting": work.filter(state=EvaluationState.AWAITING).count(),
        "failed": work.filter(state=EvaluationState.FAILED_SYSTEM).count(),
        "drafts": phase.task.gold_revisions.filter(drafts).count(),
        "undecided": undecided.count(),
        "without_choice": _without_choice(phase) if chooses else 0,
    }


def _without_choice(phase: Phase) -> int:
    counted = Submission.objects.filter(phase=phase, baseline=False).counted()
    own = counted.filter(participation=OuterRef("pk"))
    entries = Participation.objects.filter(Exists(own), task=phase.task_id)
    return int(entries.exclude(Exists(own.filter(picked=True))).count())


def declare_final(
    phase: Phase, by: User, *, seen: str, note: str, matters_known: bool
) -> Snapshot:
    """Freeze the board of a phase as its final ranking, for good, and say so.

    `seen` is the hash of the boards that the organizer looked at. A later declaration
    may replace it, with a note; the one replaced stays readable. Raises Refusal.
    """
    with transaction.atomic():
        locked = lock_phase(phase)
        now = timezone.now()
        if why := why_not_final(locked, now):
            raise Refusal(why)
        boards = public_boards(locked)
        finals = snapshots.of_phase(locked).filter(final=True)
        earlier = list(finals.values_list("sha256", flat=True))
        if not any(board["rows"] for board in boards):
            raise Refusal(_("There is nothing on the board."))
        if snapshots.digest(boards) != seen:
            raise Refusal(_("The board changed since you looked; look again."))
        if earlier and not note.strip():
            raise Refusal(_("Say why a new ranking replaces the declared one."))
        if not matters_known and matters(locked):
            raise Refusal(_("Confirm that the open matters shall stay as they are."))
        wanted = Wanted(
            by=by,
            at=now,
            title=_("Final ranking"),
            note=note,
            final=True,
            replaces=earlier,
        )
        snapshot = snapshots.take(locked, boards, wanted)
        locked.declared_at, locked.declared_by = now, by
        locked.save(update_fields=["declared_at", "declared_by"])
        text = "The final ranking of %(phase)s was declared (%(hash)s)."
        if earlier:
            text = (
                "A new final ranking of %(phase)s was declared (%(hash)s). It "
                "replaces the one before, which stays readable."
            )
        values = {"phase": locked.title, "hash": snapshot.sha256[:16]}
        Notice.objects.create(
            task=locked.task,
            phase=locked,
            kind=Notice.Kind.RANKING,
            text=f"{text % values} {note}".strip(),
            by=by,
        )
    return snapshot


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
        if not any(board.rows for board in boards):
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
        max_length=longest(Snapshot, "title"),
        required=False,
        label=gettext_lazy("Title"),
        validators=[check_display_name],
    )


class RankingPage(FormPage):
    """The phases with what was frozen of each."""

    mark: Access = EDIT
    methods: tuple[str, ...] = ("GET", "HEAD")
    form_class = SnapshotForm
    of_row = False
    template_name = "organize/ranking.html"
    refused = ""

    def context(self, form: SnapshotForm) -> dict[str, Any]:
        now = timezone.now()
        taken = Snapshot.objects.defer("data").select_related("phase__task")
        phases = self.task.phases.select_related("task").prefetch_related(
            Prefetch("snapshots", taken.select_related("gold_revision"))
        )
        lines = [
            (phase, phase.state(now), why_not_final(phase, now)) for phase in phases
        ]
        return {"lines": lines, "refused": self.refused}


class FreezePage(RankingPage):
    """Keeps an ordinary snapshot of what the public sees."""

    mark = EDIT.of_phase
    methods = ("POST",)

    def save(self, form: SnapshotForm) -> HttpResponse:
        title, by = form.cleaned_data["title"], self.request.user
        try:
            snapshot = take_snapshot(self.phase, title, by)
        except Refusal as reason:
            self.refused = f"{self.phase.title}: {reason}"
            return self.show(form)
        messages.success(self.request, _("The board was frozen."))
        return redirect(snapshots.address_of(snapshot))


class DeclarePage(FormPage):
    """The board that would be frozen with what is open, and the button."""

    mark = EDIT.of_phase
    form_class = DeclareForm
    of_row = False
    template_name = "organize/declare.html"
    above = ("organize-ranking", gettext_lazy("All phases"))
    title = gettext_lazy("Declare the final ranking")
    heading = gettext_lazy("Final ranking of %(title)s")
    button = gettext_lazy("Declare this ranking")
    back = ("organize-ranking", gettext_lazy("Cancel"))

    def dispatch(self, request: HttpRequest, *_args: Any, **_found: Any) -> Any:
        if why_not := why_not_final(self.phase, timezone.now()):
            page = RankingPage(refused=f"{self.phase.title}: {why_not}")
            page.setup(request, task=self.task)
            return page.show(SnapshotForm())
        return super().dispatch(request)

    def save(self, form: DeclareForm) -> HttpResponse:
        snapshot = declare_final(self.phase, self.request.user, **form.cleaned_data)
        messages.success(self.request, _("The final ranking is declared."))
        return redirect(snapshots.address_of(snapshot))

    def context(self, form: DeclareForm) -> dict[str, Any]:
        boards = public_boards(self.phase)
        form.initial["seen"] = snapshots.digest(boards)
        if form.is_bound:
            # What is looked at now is what the next press of the button confirms.
            given: Any = form.data
            form.data = {**given.dict(), "seen": form.initial["seen"]}
        return {
            "matters": matters(self.phase),
            "boards": [ExportTable.of_values(self.phase, data) for data in boards],
            "earlier": snapshots.newest_final(self.phase),
        }
