"""Freezing the board of a phase: any time as it is, and at the end as the ranking."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.boards import snapshots
from leaderboard.boards.snapshots import Wanted
from leaderboard.submissions.models import Evaluation, State, Submission
from leaderboard.tasks import policy
from leaderboard.tasks.lock import lock_phase, lock_task
from leaderboard.tasks.models import Notice, Participation, Phase, Snapshot
from leaderboard.teams.models import User

Values = Sequence[Mapping[str, Any]]
Status = Participation.Status


class CannotFreeze(Exception):
    """Why the board cannot be frozen now, in words for an organizer."""


@dataclass(frozen=True)
class Matter:
    """Something that is still open. `address` is where it is settled, with its phase
    if that belongs into it."""

    text: str
    address: str
    of_phase: bool = False


@dataclass(frozen=True)
class Preview:
    """What would be frozen; `seen` is its hash."""

    boards: Values
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


def preview(phase: Phase) -> Preview:
    """The boards as the public sees them now, and what is open; constant queries."""
    boards = snapshots.public_boards(phase, timezone.now())
    return Preview(snapshots.as_values(boards), list(matters(phase)))


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
    if phase.counts == Phase.Counts.CHOSEN and (n := _without_choice(phase)):
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
        waiting=Count("pk", filter=Q(state__in=(State.QUEUED, State.RUNNING))),
        failed=Count("pk", filter=Q(state=State.FAILED_SYSTEM)),
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


def declare(phase: Phase, wish: Declaration) -> Snapshot:
    """Freeze the board of a phase as its final ranking, for good, and say so.

    Raises CannotFreeze. A later declaration may replace it, with a note; the one
    replaced stays readable.
    """
    with transaction.atomic():
        locked = lock_phase(phase)
        now = timezone.now()
        if why := why_not_final(locked, now):
            raise CannotFreeze(why)
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


def _require(found: Preview, wish: Declaration, again: bool) -> None:
    if not found.boards[0]["rows"]:
        raise CannotFreeze(_("There is nothing on the board."))
    if found.seen != wish.seen:
        raise CannotFreeze(_("The board changed since you looked; look again."))
    if again and not wish.note.strip():
        raise CannotFreeze(_("Say why a new ranking replaces the declared one."))
    if found.matters and not wish.matters_known:
        raise CannotFreeze(_("Confirm that the open matters shall stay as they are."))


def _announce(snapshot: Snapshot, wish: Declaration, again: bool) -> None:
    told = {"phase": snapshot.phase.title, "hash": snapshot.sha256[:16]}
    first = "The final ranking of %(phase)s was declared (%(hash)s)."
    anew = (
        "A new final ranking of %(phase)s was declared (%(hash)s). It "
        "replaces the one before, which stays readable."
    )
    text = (anew if again else first) % told
    Notice.objects.create(
        task=snapshot.phase.task,
        phase=snapshot.phase,
        kind=Notice.Kind.RANKING,
        text=f"{text} {wish.note}".strip(),
        by=wish.by,
    )


def freeze(phase: Phase, title: str, by: User) -> Snapshot:
    """Keep the boards as the public sees them now. Raises CannotFreeze."""
    with transaction.atomic():
        task = lock_task(phase.task_id)
        rows = Phase.objects.select_related("task", "gold_revision")
        locked = get_object_or_404(rows, pk=phase.pk)
        if task.draft:
            raise CannotFreeze(_("The task is a draft: the public sees nothing of it."))
        now = timezone.now()
        boards = snapshots.public_boards(locked, now)
        if not boards[0].rows:
            raise CannotFreeze(_("The public sees no row of this board now."))
        wanted = Wanted(by=by, at=now, title=title)
        return snapshots.take(locked, snapshots.as_values(boards), wanted)
