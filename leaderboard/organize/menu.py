"""Pages of organizers by stage of a task: data, scoring, phases, people, results."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import Power
from leaderboard.web.extras import OrganizerTab, joined

Line = tuple[str, Promise, Power]
STATUS: Line = ("organize", _("Status"), Power.SEE)
# Groups of pages: name of the address, title, and the power it takes, in this order.
# Extras add theirs at the end of a group.
MENU: tuple[tuple[str, Promise, tuple[Line, ...]], ...] = (
    (
        "data",
        _("Data"),
        (
            ("organize-edit", _("Description"), Power.EDIT),
            ("organize-test-sets", _("Test sets"), Power.EDIT),
            ("organize-gold", _("Gold"), Power.EDIT),
        ),
    ),
    (
        "scoring",
        _("Scoring"),
        (
            ("organize-scoring", _("Scoring"), Power.EDIT),
            ("organize-baselines", _("Baselines"), Power.EDIT),
        ),
    ),
    (
        "phases",
        _("Phases"),
        (
            ("organize-phases", _("Phases"), Power.SEE),
            ("organize-check", _("Check and publish"), Power.EDIT),
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
            ("organize-about", _("Organizers and citation"), Power.EDIT),
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
        "records",
        _("Records"),
        (("organize-bundle", _("Bundle"), Power.EDIT),),
    ),
)
STAGES = 5  # the first groups: of records nothing is ever left to do
FIRST = "data"  # the stage of a step that leads to a page of no group


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
    entries: Sequence[MenuPage]

    @property
    def current(self) -> bool:
        """Whether the page that is shown is one of them."""
        return any(entry.current for entry in self.entries)


@dataclass(frozen=True)
class Step:
    """Something left to do: the page where it is done is that of the `route`."""

    title: str | Promise
    about: str | Promise
    route: str


@dataclass(frozen=True)
class Stage:
    """A stage of a task, and what is left to do in it."""

    title: Promise
    steps: Sequence[Step]


def menu_of(task: Task, powers: Iterable[Power], path: str) -> list[MenuGroup]:
    """The pages that a reader with these powers may follow, the first of them alone;
    that of the path is current."""
    # The answer to publishing is the page of the check.
    path = path.replace("/organize/publish/", "/organize/check/")
    groups = [MenuGroup(STATUS[1], _pages(task, powers, [STATUS]))]
    for name, title, lines in MENU:
        lines = (*lines, *_lines_of_extras(name, task))
        groups.append(MenuGroup(title, _pages(task, powers, lines)))
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


def _pages(
    task: Task, powers: Iterable[Power], lines: Iterable[Line]
) -> list[MenuPage]:
    return [
        MenuPage(title, reverse(name, args=[task.slug]))
        for name, title, power in lines
        if power in powers
    ]


def stages_of(steps: Sequence[Step]) -> list[Stage]:
    """The stages of a task with those of the steps that are done on their pages."""
    return [
        Stage(title, [step for step in steps if _stage(step.route) == name])
        for name, title, _lines in MENU[:STAGES]
    ]


def _stage(route: str) -> str:
    tabs = {tab.route: tab.group for tab in joined(OrganizerTab)}
    lines = {line[0]: name for name, _title, group in MENU for line in group}
    return (lines | tabs).get(route, FIRST)
