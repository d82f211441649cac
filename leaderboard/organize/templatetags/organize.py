"""The side menu of organizers' pages; how long something takes."""

from datetime import timedelta
from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import Power
from leaderboard.tasks.templatetags.tasks import reader_powers

register = template.Library()

# Name of the address, title, and the power it takes; shown in this order.
MENU: tuple[tuple[str, Promise, Power], ...] = (
    ("organize", _("Status"), Power.SEE),
    ("organize-edit", _("Description"), Power.EDIT),
    ("organize-scoring", _("Scoring"), Power.EDIT),
    ("organize-program", _("Scoring program"), Power.EDIT),
    ("organize-test-sets", _("Test sets"), Power.EDIT),
    ("organize-phases", _("Phases"), Power.SEE),
    ("organize-fact-sheet", _("Fact sheet"), Power.EDIT),
    ("organize-boards", _("Boards"), Power.EDIT),
    ("organize-judgements", _("Judgements"), Power.EDIT),
    ("organize-baselines", _("Baselines"), Power.EDIT),
    ("organize-check", _("Check and publish"), Power.EDIT),
    ("organize-bundle", _("Bundle"), Power.EDIT),
    ("organize-probes", _("Probe report"), Power.SEE),
    ("organize-gold", _("Gold"), Power.EDIT),
    ("organize-people", _("People"), Power.PEOPLE),
    ("organize-messages", _("Messages"), Power.PEOPLE),
    ("organize-news", _("Announcements"), Power.EDIT),
    ("organize-ranking", _("Final ranking"), Power.EDIT),
    ("organize-archive", _("Archive"), Power.EDIT),
    ("organize-organizers", _("Organizers"), Power.OWN),
    ("organize-history", _("History"), Power.EDIT),
)


@register.simple_tag(takes_context=True)
def organizer_menu(context: Context, task: Task) -> list[dict[str, Any]]:
    """The pages that the reader may follow; the one that is shown is current."""
    powers = reader_powers(context, task)
    lines = [
        {"title": title, "address": reverse(name, args=[task.slug]), "current": False}
        for name, title, power in MENU
        if power in powers
        if name != "organize-program" or task.scorer.runs_program
        if name != "organize-judgements" or task.takes_judgements
    ]
    path = getattr(context.get("request"), "path", "")
    # The answer to publishing is the page of the check.
    path = path.replace("/organize/publish/", "/organize/check/")
    above = [line for line in lines if path.startswith(line["address"])]
    if above:
        max(above, key=lambda line: len(line["address"]))["current"] = True
    return lines


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
