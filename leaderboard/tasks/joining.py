"""Entering a task with a team."""

from django.db import IntegrityError, transaction

from leaderboard.tasks.models import Participant, Participation, Task
from leaderboard.teams.models import Team, User


class CannotJoin(Exception):
    """Why a team cannot enter, in words for its members."""


def join(task: Task, team: Team) -> Participation:
    """Enter a task with all members of a team; doing it again changes nothing.

    Raises CannotJoin when a member already takes part with another team.
    """
    try:
        with transaction.atomic():
            entry, _ = Participation.objects.get_or_create(task=task, team=team)
            for member in team.members.all():
                _enter(entry, member)
    except IntegrityError:
        raise CannotJoin("Somebody of this team just entered with another.") from None
    return entry


def _enter(entry: Participation, member: User) -> None:
    known = Participant.objects.filter(task=entry.task, user=member)
    other = known.exclude(participation=entry).select_related("participation__team")
    if taken := other.first():
        raise CannotJoin(
            f"{member} already takes part with {taken.participation.team}."
        )
    Participant.objects.get_or_create(
        task=entry.task, user=member, defaults={"participation": entry}
    )


def participation_of(user: User, task: Task) -> Participation | None:
    """The team entry a person belongs to in a task, newly joined members included."""
    if not user.is_authenticated:
        return None
    known = Participant.objects.filter(task=task, user=user).select_related(
        "participation__team"
    )
    if found := known.first():
        return found.participation
    entry = Participation.objects.filter(task=task, team__members=user).first()
    if entry is not None:
        Participant.objects.get_or_create(
            task=task, user=user, defaults={"participation": entry}
        )
    return entry
