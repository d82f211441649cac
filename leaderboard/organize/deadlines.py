"""The end of a phase: moved with a public note, and what came late let in."""

from copy import copy
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.boards.templatetags.zones import written
from leaderboard.languages import in_english
from leaderboard.submissions import admin_actions
from leaderboard.submissions.models import Submission, SubmissionQuerySet
from leaderboard.submissions.quota import QuotaUsed
from leaderboard.tasks import phase_rules
from leaderboard.tasks.lock import lock_phase
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
        locked = lock_phase(phase)
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
    if phase.closes != known:
        raise CannotMove(_("Somebody changed the end in the meantime; look again."))
    if new == phase.closes:
        raise CannotMove(_("That is the end it has."))
    after = copy(phase)
    after.closes = new
    declared = phase.declared_at is not None
    for _name, why in phase_rules.moved(
        phase, after, timezone.now(), declared=declared
    ):
        raise CannotMove(why)


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
        except (QuotaUsed, admin_actions.NotPossible) as reason:
            found.left.append((submission, str(reason)))
    admin_actions.announce_admitted(phase, found.number, by)
    return found
