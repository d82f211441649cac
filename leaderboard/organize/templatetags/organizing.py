"""What a reader may organize, asked once per page."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.template import Context

from leaderboard.organize.menu import Entry, entries, powers_of
from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import Power

register = template.Library()


def _powers(context: Context, task: Task) -> set[Power]:
    """Kept on the task, which lives as long as the request."""
    kept: dict[Any, set[Power]] = task.__dict__.setdefault("_powers_by_reader", {})
    user: Any = context.get("user")
    if user is None:
        return set()
    if user.pk not in kept:
        kept[user.pk] = powers_of(user, task)
    return kept[user.pk]


@register.simple_tag(takes_context=True)
def organizes(context: Context, task: Task) -> bool:
    """Whether the reader has any power in the task."""
    return bool(_powers(context, task))


@register.simple_tag(takes_context=True)
def may(context: Context, task: Task, power: str) -> bool:
    """Whether the reader has the power of that name: "SEE", "EDIT" ..."""
    return Power[power] in _powers(context, task)


@register.simple_tag(takes_context=True)
def organizer_menu(context: Context, task: Task) -> Sequence[Entry]:
    match = getattr(context.get("request"), "resolver_match", None)
    here = match.url_name if match else ""
    return entries(task, _powers(context, task), here or "")
