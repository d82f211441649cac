"""The side menu of organizers' pages; how long something takes."""

from datetime import timedelta

from django import template
from django.template import Context
from django.utils.translation import ngettext

from leaderboard.organize.menu import MenuGroup, menu_of
from leaderboard.tasks.models import Task
from leaderboard.tasks.templatetags.tasks import reader_powers

register = template.Library()


@register.simple_tag(takes_context=True)
def organizer_menu(context: Context, task: Task) -> list[MenuGroup]:
    """The pages that the reader may follow; the one that is shown is current."""
    path = getattr(context.get("request"), "path", "")
    return menu_of(task, reader_powers(context, task), path)


@register.filter
def about(length: timedelta) -> str:
    """ "40 seconds", "3 minutes", "2 hours": no more precise than it is known."""
    seconds = length.total_seconds()
    if seconds < 90:
        n = max(1, round(seconds))
        return ngettext("%(n)d second", "%(n)d seconds", n) % {"n": n}
    if seconds < 90 * 60:
        n = round(seconds / 60)
        return ngettext("%(n)d minute", "%(n)d minutes", n) % {"n": n}
    n = round(seconds / 3600)
    return ngettext("%(n)d hour", "%(n)d hours", n) % {"n": n}
