"""The end of a phase: moved with a public note, and what came late let in."""

from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.boards.templatetags.zones import written
from leaderboard.languages import in_english
from leaderboard.submissions import operating
from leaderboard.submissions.models import Submission, SubmissionQuerySet
from leaderboard.submissions.quota import QuotaUsed
from leaderboard.tasks import phase_rules
from leaderboard.tasks.models import Notice, Participation, Phase
from leaderboard.teams.models import User


class CannotMove(Exception):
    """Why the end of the phase cannot be moved there, in words for an organizer."""


def move(
    phase: Phase, new: datetime, note: str, by: User, *, known: datetime | None
) -> Notice:
    """Move the end of a phase and say so in public.

    `known` is the end that the organizer saw: with another one by now nothing is
    done. Raises CannotMove, or ValidationError where other times of the phase do not
    fit the new end.
    """
    with transaction.atomic():
        locked = Phase.objects.select_for_update().get(pk=phase.pk)
        _require(locked, new, known)
        old, locked.closes = locked.closes, new
        phase_rules.check(locked)
        locked.save(update_fields=["closes"])
        # Where no reveal is set, the end is when everything is shown.
        same = Phase.objects.filter(pk=phase.pk)
        same.update(board_version=F("board_version") + 1)
        return Notice.objects.create(
            task=phase.task,
            phase=phase,
            kind=Notice.Kind.DEADLINE,
            text=f"{_said(locked, old)} {note}".strip(),
            by=by,
        )


def _require(phase: Phase, new: datetime, known: datetime | None) -> None:
    now = timezone.now()
    if phase.closes != known:
        raise CannotMove(_("Somebody changed the end in the meantime; look again."))
    if phase.declared_at is not None:
        raise CannotMove(_("The final ranking was declared; this phase is closed."))
    if new == phase.closes:
        raise CannotMove(_("That is the end it has."))
    if phase.closes is not None and new > phase.closes:
        return
    if phase.closes is not None and phase.closes <= now:
        raise CannotMove(_("The phase is over: its end can only be moved to later."))
    if new <= now:
        said = _("An earlier end has to lie in the future, so that everybody can still "
                 "send something.")  # fmt: skip
        raise CannotMove(said)


def _said(phase: Phase, old: datetime | None) -> str:
    with in_english():
        told = {"phase": phase.title, "new": written(phase.closes, phase.zone)}
        if old is None:
            return _("%(phase)s now closes %(new)s.") % told
        told["old"] = written(old, phase.zone)
        return _("%(phase)s closes %(new)s instead of %(old)s.") % told


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


def admit_in_time(phase: Phase, by: User) -> Admitted:
    """Let in, in order of receipt, what came before the end as it is now.

    Each is charged like others of its day; what finds no attempt left stays late.
    """
    found = Admitted()
    related = ("phase__task", "participation__team", "sender")
    for submission in in_time(phase).select_related(*related).order_by("received_at"):
        try:
            operating.admit(submission, by)
            found.number += 1
        except (QuotaUsed, operating.NotPossible) as reason:
            found.left.append((submission, str(reason)))
    return found
