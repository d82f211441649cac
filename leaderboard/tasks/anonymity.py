"""Teams that hide their name in a task until its end, which `policy` knows."""

from secrets import randbelow
from typing import Any, Protocol

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from leaderboard.tasks.admitting import changed_boards
from leaderboard.tasks.models import Participation, Task
from leaderboard.tasks.policy import Disclosure

LEAST = 100  # numbers have three digits until there are many teams
ROOM = 20  # numbers to draw from for each team that has one
TRIES = 50


class NotHidden(Exception):
    """Why a team cannot become anonymous, in words."""


class Entrant(Protocol):
    """A participation, or as much of it as a board reads."""

    @property
    def pk(self) -> int: ...
    @property
    def merged_into_id(self) -> int | None: ...
    @property
    def anonymous(self) -> bool: ...
    @property
    def alias(self) -> int | None: ...
    @property
    def team(self) -> Any: ...


def name_of(entry: Entrant, shown: Disclosure) -> str:
    """How a team is called on everything that others read.

    The alias is a name, and the same in all languages.
    """
    if shown.names or not entry.anonymous:
        return str(entry.team.name)
    return f"Anonymous {entry.alias or ''}".strip()


def alias_of(entry: Participation) -> str:
    """By what others know the team while it hides its name."""
    return name_of(entry, Disclosure())


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
