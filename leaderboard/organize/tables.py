"""Lists of named tables that a task keeps: its fact sheet and its boards."""

from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.tasks.access import lock_task
from leaderboard.tasks.bundle.schema import NAME
from leaderboard.tasks.models import Task
from leaderboard.teams.refusal import Refusal

Tables = list[dict[str, Any]]
FIELDS = ("fact_sheet", "boards")
STEPS = {"up": -1, "down": 1}


def check_name(name: str) -> None:
    """Raises ValidationError for what a bundle would not take either."""
    if not NAME.fullmatch(name):
        raise ValidationError(
            _("Small letters, digits, “-” and “_”, at most 40, no sign first.")
        )


def change(task: Task, field: str, edit: Callable[[Tables], Tables]) -> None:
    """Change one of the FIELDS of the task as it is now; edit may raise a Refusal."""
    assert field in FIELDS
    with transaction.atomic():
        locked = lock_task(task.pk)
        setattr(locked, field, edit(list(getattr(locked, field))))
        locked.save(update_fields=[field])


def add(task: Task, field: str, table: Mapping[str, Any]) -> None:
    """Put a table at the end. Raises Refusal where one of that name came before."""

    def added(found: Tables) -> Tables:
        if any(one["name"] == table["name"] for one in found):
            raise Refusal(_("Somebody added one of that name in the meantime."))
        return [*found, dict(table)]

    change(task, field, added)


def put(task: Task, field: str, name: str, table: Mapping[str, Any]) -> None:
    """Put a table in the place of the one with that name.

    Raises Refusal where it is no longer there.
    """
    edit(task, field, name, lambda _: table)


def edit(
    task: Task,
    field: str,
    name: str,
    changed: Callable[[Mapping[str, Any]], Mapping[str, Any]],
) -> None:
    """Change the table of that name. Raises Refusal where it is no longer there."""

    def edited(found: Tables) -> Tables:
        if all(one["name"] != name for one in found):
            raise Refusal(_("Somebody removed it in the meantime."))
        return [dict(changed(t)) if t["name"] == name else t for t in found]

    change(task, field, edited)


def remove(task: Task, field: str, name: str) -> None:
    change(task, field, lambda found: _without(found, name))


def move(task: Task, field: str, name: str, step: int) -> None:
    """Up (-1) or down (1); at the end nothing happens."""

    def moved(found: Tables) -> Tables:
        place = next((i for i, t in enumerate(found) if t["name"] == name), None)
        if place is not None:
            found.insert(max(0, place + step), found.pop(place))
        return found

    change(task, field, moved)


def _without(found: Tables, name: str) -> Tables:
    return [table for table in found if table["name"] != name]
