"""The side menu of an organizer's pages; every page has its line here."""

from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import Power

# Name of the address, title, and the power it takes; shown in this order.
MENU: tuple[tuple[str, Promise, Power], ...] = (
    ("organize", _("Where it stands"), Power.SEE),
    ("organize-edit", _("Description"), Power.EDIT),
    ("organize-scoring", _("Scoring"), Power.EDIT),
    ("organize-test-sets", _("Test sets"), Power.EDIT),
    ("organize-phases", _("Phases"), Power.SEE),
    ("organize-fact-sheet", _("Fact sheet"), Power.EDIT),
    ("organize-boards", _("Boards"), Power.EDIT),
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


def entries(task: Task, powers: set[Power], path: str) -> list[dict[str, Any]]:
    """The lines the person may follow; the one of the page at `path` is current."""
    lines = [
        {"title": title, "address": reverse(name, args=[task.slug]), "current": False}
        for name, title, power in MENU
        if power in powers
    ]
    # The answer to publishing is the page of the check.
    path = path.replace("/organize/publish/", "/organize/check/")
    above = [line for line in lines if path.startswith(line["address"])]
    if above:
        max(above, key=lambda line: len(line["address"]))["current"] = True
    return lines
