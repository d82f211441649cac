"""Decisions about a team in a task: its admission, its hidden name, its mergers."""

from collections.abc import Mapping
from dataclasses import dataclass
from secrets import randbelow
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.tasks import policy
from leaderboard.tasks.access import lock_phases
from leaderboard.tasks.models import Merger, Participation, Phase, Task
from leaderboard.teams.models import Membership, User, name_key
from leaderboard.teams.refusal import Refusal

Status = Participation.Status


@dataclass(frozen=True)
class Decision:
    """A move between statuses; `needs_reason` where the team must be told why.

    `told` is the subject of the message to the team.
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

    Raises Refusal without a reason where one is needed, and when somebody else
    was first.
    """
    decision = DECISIONS[name]
    reason = " ".join(reason.split())
    if decision.needs_reason and not reason:
        raise Refusal(_("Say why: the team is shown the reason."))
    return _move(entry, decision, actor, reason, by_team=False)


def withdraw_own(entry: Participation, actor: User) -> Participation:
    """A team leaves the task by itself. Raises Refusal when it is out already."""
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
            raise Refusal(_("The team is not in a state that allows it (any more)."))
        changed_boards(entry)
    entry.refresh_from_db()
    return entry


def changed_boards(entry: Participation) -> None:
    """Who stands on the boards of the task has changed."""
    with transaction.atomic():
        phases = [one.pk for one in lock_phases(entry.task_id)]
        Phase.objects.filter(pk__in=phases).touch_boards()


def leads(user: User, entry: Participation) -> bool:
    """Whether a person speaks for a team: a leader, or anybody where there is none.

    Of a merged team the leaders of both parts do.
    """
    parts = [entry.team_id, *entry.merged.values_list("team_id", flat=True)]
    roles = Membership.objects.filter(team__in=parts).values_list("user", "role")
    leaders = {pk for pk, role in roles if role == Membership.TeamRole.LEADER}
    everybody = {pk for pk, _role in roles}
    return user.pk in (leaders or everybody)


LEAST = 100  # numbers have three digits until there are many teams
ROOM = 20  # numbers to draw from for each team that has one
TRIES = 50


def alias_of(entry: Participation) -> str:
    """By what others know the team while it hides its name."""
    return policy.name_of(entry, policy.Disclosure())


def why_not(task: Task, entry: Participation | None) -> str:
    """Why a team cannot hide its name now; empty where it can.

    Once something was sent under the name, hiding it would hide nothing.
    """
    if not task.allows_anonymous:
        return _("Teams cannot hide their names in this task.")
    if entry is not None and entry.submissions.exists():
        return _("Your team sent something already, under its name.")
    return ""


def hide(entry: Participation) -> None:
    """Show the team by a number from now on.

    The number is drawn by lot: neither the order of joining nor a key tells it.
    Raises Refusal where the task does not allow it or it is too late.
    """
    if entry.anonymous:
        return
    if reason := why_not(entry.task, entry):
        raise Refusal(reason)
    if entry.alias is None:
        _draw(entry)
    entry.anonymous = True
    entry.save(update_fields=["anonymous"])
    changed_boards(entry)


def show(entry: Participation) -> None:
    """Give the name up; what was sent since cannot be hidden again."""
    entry.anonymous = False
    entry.save(update_fields=["anonymous"])
    changed_boards(entry)


def _draw(entry: Participation) -> None:
    """A number that no team of the task has: the database says so."""
    teams = Participation.objects.filter(task=entry.task_id).count()
    room = max(1000 - LEAST, ROOM * teams)
    for _try in range(TRIES):
        entry.alias = LEAST + randbelow(room)
        try:
            with transaction.atomic():
                entry.save(update_fields=["alias"])
        except IntegrityError:
            continue
        return
    raise Refusal(_("No number is free; try again."))


def open_mergers(entry: Participation) -> QuerySet[Merger]:
    """Proposals that a team has a part in and that nobody ended."""
    mine = Q(stays=entry) | Q(leaves=entry)
    found = Merger.objects.filter(mine, done_at=None, declined_at=None)
    return found.select_related("stays__team", "leaves__team")


def propose(
    entry: Participation, other_name: str, user: User, *, stays: bool
) -> Merger:
    """Ask another team of the task, as a leader of `entry`; `stays`: ours stays.

    Raises Refusal for a team that does not take part (or hides its name), and when
    it was asked already.
    """
    _require_leader(user, entry)
    if entry.status != Status.ACTIVE:
        raise Refusal(_("Your team does not take part at the moment."))
    others = Participation.objects.filter(
        task=entry.task_id, status=Status.ACTIVE, anonymous=False
    ).exclude(pk=entry.pk)
    other = others.filter(team__key=name_key(other_name)).first()
    if other is None:
        raise Refusal(_("No other team of that name takes part here."))
    if open_mergers(entry).filter(Q(stays=other) | Q(leaves=other)).exists():
        raise Refusal(_("You asked that team already, or it asked you."))
    first, second = (entry, other) if stays else (other, entry)
    merger = Merger(task_id=entry.task_id, stays=first, leaves=second)
    setattr(merger, _side(merger, entry), user)
    try:
        with transaction.atomic():
            merger.save()
    except IntegrityError:
        raise Refusal(_("You asked that team already, or it asked you.")) from None
    return merger


def agree(merger: Merger, entry: Participation, user: User) -> None:
    """A leader of one side says yes."""
    _require_leader(user, entry)
    _change(merger, entry, **{_side(merger, entry): user})


def decline(merger: Merger, entry: Participation, user: User) -> None:
    """A leader of either side ends a proposal."""
    _require_leader(user, entry)
    _change(merger, entry, declined_at=timezone.now())


def _change(merger: Merger, entry: Participation, **fields: Any) -> None:
    """Only what is said: the other side may be saying something at the same time."""
    if not open_mergers(entry).filter(pk=merger.pk).update(**fields):
        raise Refusal(_("That proposal is no longer open."))


def _side(merger: Merger, entry: Participation) -> str:
    return "stays_agreed" if merger.stays == entry else "leaves_agreed"


def _require_leader(user: User, entry: Participation) -> None:
    if not leads(user, entry):
        raise Refusal(_("Only a leader of the team can do that."))
