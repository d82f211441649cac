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
    ("organize-letters", _("Letters"), Power.PEOPLE),
    ("organize-news", _("Announcements"), Power.EDIT),
    ("organize-ranking", _("Final ranking"), Power.EDIT),
    ("organize-archive", _("Archive"), Power.EDIT),
    ("organize-organizers", _("Organizers"), Power.OWN),
    ("organize-history", _("History"), Power.EDIT),
)
# Pages below a page of the menu, by name of the address: where the mark stands then.
BELOW: dict[str, str] = {
    "organize-test-set": "organize-test-sets",
    "organize-test-set-remove": "organize-test-sets",
    "organize-publish": "organize-check",
    "organize-delete": "organize",
    "organize-team": "organize-people",
    "organize-decide": "organize-people",
    "organize-decide-submission": "organize-people",
    "organize-people-rules": "organize-people",
    "organize-merge": "organize-people",
    "organize-letter": "organize-letters",
    "organize-question": "organize-fact-sheet",
    "organize-question-change": "organize-fact-sheet",
    "organize-board": "organize-boards",
    "organize-board-change": "organize-boards",
    "organize-declare": "organize-ranking",
    "organize-snapshot": "organize-ranking",
    "organize-phase-new": "organize-phases",
    "organize-phase": "organize-phases",
    "organize-deadline": "organize-phases",
    "organize-phase-delete": "organize-phases",
    "organize-gold-new": "organize-gold",
    "organize-gold-revision": "organize-gold",
    "organize-gold-preview": "organize-gold",
    "organize-gold-live": "organize-gold",
}


def entries(task: Task, powers: set[Power], here: str) -> list[dict[str, Any]]:
    """The lines the person may follow; `here` is the name of the page's address."""
    current = BELOW.get(here, here)
    return [
        {
            "title": title,
            "address": reverse(name, args=[task.slug]),
            "current": name == current,
        }
        for name, title, power in MENU
        if power in powers
    ]
