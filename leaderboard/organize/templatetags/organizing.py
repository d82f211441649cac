"""The side menu; changes of scores as people read them; how long something takes."""

from datetime import timedelta
from typing import Any

from django import template
from django.template import Context
from django.utils.translation import ngettext

from leaderboard.organize.gold_preview import GoldChangeLine, GoldChangeSheet
from leaderboard.organize.menu import entries
from leaderboard.submissions.scores import Score, signed
from leaderboard.tasks.models import Task
from leaderboard.tasks.templatetags.tasks import reader_powers

register = template.Library()


@register.simple_tag(takes_context=True)
def organizer_menu(context: Context, task: Task) -> list[dict[str, Any]]:
    path = getattr(context.get("request"), "path", "")
    return entries(task, reader_powers(context, task), path)


@register.filter
def change(line: GoldChangeLine) -> str:
    """ "+0.42", "−1.30", "0.00"; empty where one side has no score."""
    if line.change is None:
        return ""
    return signed(line.change, _decimals(line.row.sorted_by))


@register.filter
def largest(sheet: GoldChangeSheet) -> str:
    """The largest change of a sheet, whichever its direction."""
    if not sheet.lines:
        return ""
    return f"{sheet.largest:.{_decimals(sheet.lines[0].row.sorted_by)}f}"


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


def _decimals(score: Score) -> int:
    return score.decimals[0]
