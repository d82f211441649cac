"""Points where an extra joins the site: values that its AppConfig declares.

An extra is an app that a site can do without. `PLUMBLINE_EXTRAS` names those of a site.
The core asks `joined` where it lists such things, and imports no extra.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from celery import current_app
from django.apps import AppConfig, apps
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.urls import NoReverseMatch, URLResolver, include, path, reverse
from django.utils.module_loading import import_string


@dataclass(frozen=True)
class MenuEntry:
    """A tab of a menu; `routes` are the names of the routes at which it is current,
    the first of them the one it leads to."""

    menu: str
    title: Any  # translated when it is shown
    routes: tuple[str, ...]

    @property
    def address(self) -> str:
        return reverse(self.routes[0])


@dataclass(frozen=True)
class OrganizerTab:
    """A page in a group of the organizers' menu, for those who have a power of
    `tasks.policy.Power`; `route` takes the task's slug."""

    group: str
    title: Any
    route: str
    power: str


@dataclass(frozen=True)
class TaskDownload:
    """A file about a whole task, offered with its results and exports; `route` takes
    its slug. `is_there` is the path of a function that takes the task."""

    title: Any
    about: Any
    route: str
    is_there: str

    def is_for(self, task: Any) -> bool:
        found: bool = import_string(self.is_there)(task)
        return found


@dataclass(frozen=True)
class PeriodicJob:
    """A Celery task that the scheduler asks for every so many seconds."""

    name: str
    task: str
    seconds: float


@dataclass(frozen=True)
class PersonalRows:
    """Rows that are of one person alone, by their field `user`: deleted with the
    account, and in the copy of a person's data under `name`, with these fields."""

    name: str
    model: str
    fields: tuple[str, ...]

    @property
    def rows(self) -> Any:
        return apps.get_model(self.model)._base_manager


@dataclass(frozen=True)
class AccountLine:
    """A line of the page of one's account: a title, and a link to a route."""

    title: Any
    link: Any
    route: str


@dataclass(frozen=True)
class SubmissionLink:
    """A button on the page of a submission; `route` takes its key. `sees` is the path
    of a function that takes a reader and the submission's status."""

    title: Any
    route: str
    sees: str

    def is_for(self, user: Any, status: Any) -> bool:
        found: bool = import_string(self.sees)(user, status)
        return found


@dataclass(frozen=True)
class UnitPage:
    """A page about one unit of a submission; `route` takes its key and the number of
    the unit in its test set, from 1."""

    route: str

    def address(self, submission: Any, number: int) -> str:
        return reverse(self.route, args=[submission, number])


@dataclass(frozen=True)
class FeedLink:
    """A feed that pages name in their heads: of the site or, where it has a title by
    which pages link it, of a task, whose slug `route` takes."""

    route: str
    title: Any = ""

    @property
    def of_task(self) -> bool:
        return bool(self.title)


@dataclass(frozen=True)
class StylePart:
    """A part of the style page: a template, and the path of a function that makes its
    context of made-up values."""

    name: str
    template: str
    make: str

    def context(self) -> dict[str, Any]:
        context: dict[str, Any] = import_string(self.make)()
        return context


@dataclass(frozen=True)
class DemoPart:
    """A task of the demonstration: `load` is the path of a function that makes it, and
    takes the moment of now and the account of the organizer."""

    load: str

    def make(self, now: Any, organizer: Any) -> None:
        import_string(self.load)(now, organizer)


MENUS = ("account",)
NO_KEY = "00000000-0000-0000-0000-000000000000"
Point = (
    AccountLine
    | DemoPart
    | FeedLink
    | MenuEntry
    | OrganizerTab
    | PeriodicJob
    | PersonalRows
    | StylePart
    | SubmissionLink
    | TaskDownload
    | UnitPage
)


class Extra(AppConfig):
    """An app of `leaderboard.extras`; `points` are the values by which it joins.

    `english` are its routes of files, which are in English for every reader.
    """

    urls = ""  # a module of addresses
    english: tuple[str, ...] = ()
    points: tuple[Point, ...] = ()

    def ready(self) -> None:
        for job in self.joining(PeriodicJob):
            settings.CELERY_BEAT_SCHEDULE[job.name] = beat_entry(job)

    def joining(self, kind: type[Any]) -> list[Any]:
        return [point for point in self.points if isinstance(point, kind)]


def beat_entry(job: PeriodicJob) -> Mapping[str, Any]:
    """An entry of Celery's schedule; with the workers stopped, none must pile up."""
    options = {"expires": job.seconds}
    return {"task": job.task, "schedule": job.seconds, "options": options}


def extras() -> list[Extra]:
    """Those of this site, in the order of `INSTALLED_APPS`."""
    return [app for app in apps.get_app_configs() if isinstance(app, Extra)]


def joined(kind: type[Any]) -> Iterator[Any]:
    """Every value of that kind which an extra of this site declares."""
    for extra in extras():
        yield from extra.joining(kind)


def urls() -> list[URLResolver]:
    """Addresses of all extras, to be included before those of the core."""
    return [path("", include(extra.urls)) for extra in extras() if extra.urls]


@cache
def english_routes() -> frozenset[str]:
    """Routes of files that extras write."""
    return frozenset(route for extra in extras() for route in extra.english)


def check_extras(**_options: Any) -> list[CheckMessage]:
    """Refuse points that share a name, and those that name what is not there."""
    found = [
        *_doubled("periodic job", [job.name for job in joined(PeriodicJob)]),
        *_doubled("personal rows", [rows.name for rows in joined(PersonalRows)]),
        *_doubled("part of the style page", [part.name for part in joined(StylePart)]),
    ]
    for extra in extras():
        for entry in extra.joining(MenuEntry):
            found += _lost_entry(extra, entry)
        for point in extra.points:
            found += _lost_names(extra, point)
        for rows in extra.joining(PersonalRows):
            try:
                apps.get_model(rows.model)
            except LookupError as reason:
                found.append(_error(f"{extra.label}: {reason}"))
        for job in extra.joining(PeriodicJob):
            import_module(f"{extra.name}.jobs")
            if job.task not in _celery_tasks():
                found.append(_error(f"{extra.label}: no Celery task {job.task!r}."))
    return found


def _lost_entry(extra: Extra, entry: MenuEntry) -> list[CheckMessage]:
    if entry.menu not in MENUS:
        return [_error(f"{extra.label}: no menu {entry.menu!r}; there are {MENUS}.")]
    return _lost_route(extra, entry.routes[0])


def _lost_names(extra: Extra, point: Point) -> list[CheckMessage]:
    """The route of a point that leads somewhere, and the functions that it names."""
    found = []
    if route := getattr(point, "route", ""):
        of_task = isinstance(point, OrganizerTab | TaskDownload)
        of_task = of_task or getattr(point, "of_task", False)
        places: tuple[str | int, ...] = ("task",) * of_task
        if isinstance(point, SubmissionLink):
            places = (NO_KEY,)
        elif isinstance(point, UnitPage):
            places = (NO_KEY, 1)
        found += _lost_route(extra, route, *places)
    for name in ("is_there", "load", "make", "sees"):
        if isinstance(path := getattr(point, name, ""), str) and path:
            found += _lost_function(extra, path)
    return found


def _lost_route(extra: Extra, route: str, *names: str | int) -> list[CheckMessage]:
    try:
        reverse(route, args=names)
    except NoReverseMatch as reason:
        return [_error(f"{extra.label}: {reason}")]
    return []


def _lost_function(extra: Extra, path: str) -> list[CheckMessage]:
    try:
        import_string(path)
    except ImportError as reason:
        return [_error(f"{extra.label}: {reason}")]
    return []


def _celery_tasks() -> Mapping[str, Any]:
    tasks: Mapping[str, Any] = current_app.tasks
    return tasks


def _doubled(what: str, names: list[str]) -> list[CheckMessage]:
    twice = sorted({name for name in names if names.count(name) > 1})
    return [_error(f"Two extras declare the {what} {name!r}.") for name in twice]


def _error(message: str) -> CheckMessage:
    return Error(message, hint="Correct `points` in its apps.py.", id="web.E002")
