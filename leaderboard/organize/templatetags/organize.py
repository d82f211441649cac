"""The side menu of organizers' pages; how long something takes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import Power
from leaderboard.tasks.templatetags.tasks import reader_powers
from leaderboard.web.extras import OrganizerTab, joined

register = template.Library()

Line = tuple[str, Promise, Power]
# Groups of pages: name of the address, title, and the power it takes, in this order.
# Extras add theirs at the end of a group.
MENU: tuple[tuple[str, Promise, tuple[Line, ...]], ...] = (
    (
        "task",
        _("Task"),
        (
            ("organize", _("Status"), Power.SEE),
            ("organize-edit", _("Description"), Power.EDIT),
            ("organize-about", _("Organizers and citation"), Power.EDIT),
            ("organize-phases", _("Phases"), Power.SEE),
            ("organize-check", _("Check and publish"), Power.EDIT),
        ),
    ),
    (
        "scoring",
        _("Scoring"),
        (
            ("organize-scoring", _("Scoring"), Power.EDIT),
            ("organize-test-sets", _("Test sets"), Power.EDIT),
            ("organize-gold", _("Gold"), Power.EDIT),
            ("organize-baselines", _("Baselines"), Power.EDIT),
        ),
    ),
    (
        "results",
        _("Results"),
        (
            ("organize-boards", _("Boards"), Power.EDIT),
            ("organize-fact-sheet", _("Fact sheet"), Power.EDIT),
            ("organize-ranking", _("Final ranking"), Power.EDIT),
        ),
    ),
    (
        "people",
        _("People"),
        (
            ("organize-people", _("Teams"), Power.PEOPLE),
            ("organize-registration", _("Registration"), Power.EDIT),
            ("organize-messages", _("Messages"), Power.PEOPLE),
            ("organize-news", _("Announcements"), Power.EDIT),
            ("organize-organizers", _("Organizers"), Power.OWN),
        ),
    ),
    (
        "records",
        _("Records"),
        (("organize-bundle", _("Bundle"), Power.EDIT),),
    ),
)


@dataclass
class MenuPage:
    """A page in the menu."""

    title: Promise
    address: str
    current: bool = False


@dataclass(frozen=True)
class MenuGroup:
    """Pages under a heading."""

    title: Promise
    entries: list[MenuPage]


@register.simple_tag(takes_context=True)
def organizer_menu(context: Context, task: Task) -> list[MenuGroup]:
    """The pages that the reader may follow; the one that is shown is current."""
    groups = [
        MenuGroup(
            title, _entries(context, task, (*lines, *_lines_of_extras(name, task)))
        )
        for name, title, lines in MENU
    ]
    path = getattr(context.get("request"), "path", "")
    # The answer to publishing is the page of the check.
    path = path.replace("/organize/publish/", "/organize/check/")
    entries = (entry for group in groups for entry in group.entries)
    above = [entry for entry in entries if path.startswith(entry.address)]
    if above:
        max(above, key=lambda entry: len(entry.address)).current = True
    return [group for group in groups if group.entries]


def _lines_of_extras(group: str, task: Task) -> list[Line]:
    return [
        (tab.route, tab.title, Power[tab.power])
        for tab in joined(OrganizerTab)
        if tab.group == group and tab.is_for(task)
    ]


def _entries(context: Context, task: Task, lines: Iterable[Line]) -> list[MenuPage]:
    powers = reader_powers(context, task)
    return [
        MenuPage(title, reverse(name, args=[task.slug]))
        for name, title, power in lines
        if power in powers
    ]


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
