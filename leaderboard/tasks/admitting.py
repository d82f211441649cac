"""Decisions about a team in a task: admit, refuse, withdraw, disqualify, reinstate."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.tasks.lock import lock_phases
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User

Status = Participation.Status


class NotDecided(Exception):
    """Why a decision cannot be taken, in words."""


@dataclass(frozen=True)
class Decision:
    """A move between statuses; `needs_reason` where the team must be told why.

    `told` is the subject of the letter to the team.
    """

    title: str | Promise
    old: frozenset[Status]
    new: Status
    needs_reason: bool
    told: str | Promise


ENDED = frozenset({Status.WITHDRAWN, Status.DISQUALIFIED, Status.REFUSED})
DECISIONS: Mapping[str, Decision] = {
    "admit": Decision(
        gettext_lazy("Admit"),
        frozenset({Status.PENDING}),
        Status.ACTIVE,
        False,
        gettext_lazy("Your team takes part"),
    ),
    "refuse": Decision(
        gettext_lazy("Refuse"),
        frozenset({Status.PENDING}),
        Status.REFUSED,
        True,
        gettext_lazy("Your team was not admitted"),
    ),
    "withdraw": Decision(
        gettext_lazy("Withdraw"),
        frozenset({Status.ACTIVE, Status.PENDING}),
        Status.WITHDRAWN,
        True,
        gettext_lazy("Your team was withdrawn"),
    ),
    "disqualify": Decision(
        gettext_lazy("Disqualify"),
        frozenset({Status.ACTIVE, Status.WITHDRAWN}),
        Status.DISQUALIFIED,
        True,
        gettext_lazy("Your team was disqualified"),
    ),
    "reinstate": Decision(
        gettext_lazy("Reinstate"),
        ENDED,
        Status.ACTIVE,
        False,
        gettext_lazy("Your team takes part again"),
    ),
}


def possible(entry: Participation) -> list[str]:
    """Names of the decisions that the status of an entry allows."""
    return [name for name, one in DECISIONS.items() if entry.status in one.old]


def decide(
    entry: Participation, name: str, actor: User, reason: str = ""
) -> Participation:
    """Take a decision as an organizer, with its reason.

    Raises NotDecided without a reason where one is needed, and when somebody else
    was first.
    """
    decision = DECISIONS[name]
    reason = " ".join(reason.split())
    if decision.needs_reason and not reason:
        raise NotDecided(_("Say why: the team is shown the reason."))
    return _move(entry, decision, actor, reason, by_team=False)


def withdraw_own(entry: Participation, actor: User) -> Participation:
    """A team leaves the task by itself. Raises NotDecided when it is out already."""
    return _move(entry, DECISIONS["withdraw"], actor, "", by_team=True)


def _move(
    entry: Participation, decision: Decision, actor: User, reason: str, *, by_team: bool
) -> Participation:
    rows = Participation.objects.filter(pk=entry.pk, status__in=decision.old)
    with transaction.atomic():
        moved = rows.update(
            status=decision.new,
            reason=reason,
            status_at=timezone.now(),
            status_by=actor,
            status_by_team=by_team,
        )
        if not moved:
            raise NotDecided(_("The team is not in a state that allows it (any more)."))
        changed_boards(entry)
    entry.refresh_from_db()
    return entry


def changed_boards(entry: Participation) -> None:
    """Who stands on the boards of the task has changed."""
    with transaction.atomic():
        phases = [one.pk for one in lock_phases(entry.task_id)]
        same = Phase.objects.filter(pk__in=phases)
        same.update(board_version=F("board_version") + 1)
