"""The reader's standing in a task, and what the reader may do in it."""

import json
from datetime import datetime
from typing import Any

from django import template
from django.template import Context
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from leaderboard.tasks import citation, participation
from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.policy import Power, powers_of

register = template.Library()
# No text may end the element that it stands in.
IN_SCRIPT = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}


@register.simple_tag(takes_context=True)
def own_end(context: Context, phase: Phase) -> datetime | None:
    """The later end that the reader's team was given; None without one."""
    user = context["user"]
    ends: dict[Any, Any] = phase.__dict__.setdefault("_own_ends", {})
    if user.pk not in ends:
        end = participation.own_end(user, phase)
        ends[user.pk] = None if end == phase.closes else end
    return ends[user.pk]


@register.simple_tag(takes_context=True)
def own_state(context: Context, phase: Phase) -> str:
    """The state of a phase for the reader's team."""
    end = own_end(context, phase)
    if end is None or phase.state() != "over":
        return phase.state()
    return "over" if timezone.now() >= end else "open"


@register.simple_tag
def dataset_json(task: Task) -> SafeString:
    """The task as schema.org data in a script element, for search engines."""
    text = json.dumps(citation.dataset(task), ensure_ascii=False)
    return format_html(
        '<script type="application/ld+json">{}</script>',
        mark_safe(text.translate(IN_SCRIPT)),
    )


@register.simple_tag
def entry_rules(task: Task) -> list[str]:
    """Sentences on what a team needs to enter; none where everybody may."""
    rules = [participation.domain_rule(task)]
    if task.entry == Task.Entry.APPROVAL:
        rules.append(str(Task.Entry.APPROVAL.label) + ".")
    return [rule for rule in rules if rule]


def reader_powers(context: Context, task: Task) -> set[Power]:
    """Cached on the task, which lives as long as the request."""
    cached: dict[Any, set[Power]] = task.__dict__.setdefault("_powers_by_reader", {})
    user: Any = context.get("user")
    if user is None:
        return set()
    if user.pk not in cached:
        cached[user.pk] = powers_of(user, task)
    return cached[user.pk]


@register.simple_tag(takes_context=True)
def organizes(context: Context, task: Task) -> bool:
    """Whether the reader has any power in the task."""
    return bool(reader_powers(context, task))


@register.simple_tag(takes_context=True)
def may(context: Context, task: Task, power: str) -> bool:
    """Whether the reader has the power of that name: "SEE", "EDIT" ..."""
    return Power[power] in reader_powers(context, task)
