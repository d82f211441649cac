"""Teams that hide their name in a task until its end; what is shown is in `policy`."""

from secrets import randbelow

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from leaderboard.tasks import policy
from leaderboard.tasks.admitting import changed_boards
from leaderboard.tasks.models import Participation, Task

LEAST = 100  # numbers have three digits until there are many teams
ROOM = 20  # numbers to draw from for each team that has one
TRIES = 50


class NotHidden(Exception):
    """Why a team cannot become anonymous, in words."""


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
    Raises NotHidden where the task does not allow it or it is too late.
    """
    if entry.anonymous:
        return
    if reason := why_not(entry.task, entry):
        raise NotHidden(reason)
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
    raise NotHidden(_("No number is free; try again."))
