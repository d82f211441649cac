"""Points where an extra joins the site: values that its AppConfig declares.

An extra is an app that a site can do without. `PLUMBLINE_EXTRAS` names those of a site.
The core asks `joined` where it lists such things, and imports no extra.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, ClassVar

from celery import current_app
from django.apps import AppConfig, apps
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.db.models import Q
from django.urls import NoReverseMatch, URLResolver, include, path, reverse
from django.utils.module_loading import import_string

OF_TASK, OF_PHASE = ("task",), ("task", "phase")
NO_KEY = "00000000-0000-0000-0000-000000000000"


class Point:
    """A value by which an extra joins, of one of six kinds. `takes` is made up for what
    its route takes."""

    takes: ClassVar[tuple[str | int, ...]] = ()


class PagePoint(Point):
    """A page of the extra that pages of the site link."""


class PartPoint(Point):
    """A part of a page of the site, or a sentence on it."""


class DownloadPoint(Point):
    """A file, or files in an archive."""


class RowsPoint(Point):
    """Rows of the extra that go the way of the site's own: into bundles, quotas, copies
    of a person's data, scores."""


class JobPoint(Point):
    """Work that is done by a worker, a sandbox, or when the demonstration is made."""


class HookPoint(Point):
    """An answer of the extra to something that the site is about to do."""


# The places where each shows.


@dataclass(frozen=True)
class OrganizerTab(PagePoint):
    """A page in a group of the organizers' menu, for those who have a power of
    `tasks.policy.Power`; `route` takes the task's slug. `is_there` is the path of a
    function that takes the task; without it every task has the page."""

    takes: ClassVar = OF_TASK
    group: str
    title: Any
    route: str
    power: str
    is_there: str = ""

    def is_for(self, task: Any) -> bool:
        return not self.is_there or bool(import_string(self.is_there)(task))


@dataclass(frozen=True)
class Link(PagePoint):
    """A page or file of the extra, with a title and a sentence on it, which `place`
    links: the page of one's "account"; the organizers' first page, as a next step for
    those who may edit ("step"); a task's results and exports ("task"); and where the
    page of a "snapshot" says how to check it. `is_there` is the path of a function that
    takes the task; without it every task has the link."""

    place: str
    title: Any
    about: Any
    route: str
    is_there: str = ""

    def is_for(self, task: Any) -> bool:
        return not self.is_there or bool(import_string(self.is_there)(task))


@dataclass(frozen=True)
class ArchiveSeal(DownloadPoint):
    """Files for the archive of a task: what the path `files` gives for the task, and
    what `seal` gives for the bytes of SHA256SUMS, which do not list it. Both give pairs
    of name and bytes."""

    files: str
    seal: str

    def files_of(self, task: Any) -> Iterator[tuple[str, bytes]]:
        files: Iterator[tuple[str, bytes]] = import_string(self.files)(task)
        return files

    def sealing(self, sums: bytes) -> Iterator[tuple[str, bytes]]:
        files: Iterator[tuple[str, bytes]] = import_string(self.seal)(sums)
        return files


@dataclass(frozen=True)
class PeriodicJob(JobPoint):
    """A Celery task that the scheduler asks for every so many seconds."""

    name: str
    task: str
    seconds: float


@dataclass(frozen=True)
class PersonalRows(RowsPoint):
    """Rows that are of one person alone, by their field `user` and by one that has an
    `address` of theirs: deleted with the account, and in the copy of a person's data
    under `name`, with these fields."""

    name: str
    model: str
    fields: tuple[str, ...]
    user: str = "user"
    address: str = ""

    def rows_of(self, user: Any, addresses: Iterable[str] = ()) -> Any:
        whose = Q(**{self.user: user}) if self.user else Q(pk=None)
        for address in addresses if self.address else ():
            whose |= Q(**{f"{self.address}__iexact": address})
        return apps.get_model(self.model)._base_manager.filter(whose)


@dataclass(frozen=True)
class SubmissionLink(PagePoint):
    """A button on the page of a submission; `route` takes its key. `sees` is the path
    of a function that takes a reader and the submission's status. `summary` is the
    title of the part of that page which opens in place and which `summary_route`
    answers with."""

    takes: ClassVar = (NO_KEY,)
    title: Any
    route: str
    sees: str
    summary: object = ""
    summary_route: str = ""

    def is_for(self, user: Any, status: Any) -> bool:
        is_shown: bool = import_string(self.sees)(user, status)
        return is_shown


@dataclass(frozen=True)
class UnitPage(PagePoint):
    """A page about one unit of a submission; `route` takes its key and the number of
    the unit in its test set, from 1."""

    takes: ClassVar = (NO_KEY, 1)
    route: str

    def address(self, submission: Any, number: int) -> str:
        return reverse(self.route, args=[submission, number])


@dataclass(frozen=True)
class BoardFormats(DownloadPoint):
    """Formats that a board is written in: `FORMATS` of every module of a package, each
    an `ExportFormat` of `boards.exports.formats`, fetched by whoever may see it."""

    package: str


@dataclass(frozen=True)
class BoardCharts(PartPoint):
    """Kinds of charts of a board: `KINDS` of a module, each a `ChartKind` of
    `boards.charts.kinds`."""

    module: str


@dataclass(frozen=True)
class SystemsPage(PagePoint):
    """A page about several systems of a board, ticked on it or pinned in its charts;
    `route` takes task and phase, and the address names systems by `?system=`.
    `with_next` is its title where one system is taken with the one ranked above it."""

    takes: ClassVar = OF_PHASE
    title: Any
    with_next: Any
    route: str


@dataclass(frozen=True)
class PagePart(PartPoint):
    """A part of a page, and the path of a function that takes what it is about and the
    reader, and gives its `rows`; the part is not there without any.

    `place` is one of PART_PLACES: on the page of a system, or in its opened "row" of
    the board (a `boards.systems.SystemOverview`), or on the page of a "submission" for
    those who speak for it."""

    template: str
    make: str
    place: str = "beside"


@dataclass(frozen=True)
class ChartFile(DownloadPoint):
    """A chart as another kind of file: a button of that title beside the chart, the
    ending of the file's name, and a route that takes task and phase and the choices
    of the page. `lacks` is the path of a function that takes the texts of a picture and
    says what of them such a file cannot show; empty where it shows all."""

    takes: ClassVar = OF_PHASE
    title: Any
    ending: str
    route: str
    lacks: str = ""

    def remark(self, texts: Iterable[str]) -> str:
        return str(import_string(self.lacks)(texts)) if self.lacks else ""


@dataclass(frozen=True)
class BoardNote(PartPoint):
    """Sentences below the boards of a phase. `says` is the path of a function that
    takes the phase and gives them; it is asked when a page of a board is made."""

    says: str

    def sentences(self, phase: Any) -> list[str]:
        return list(import_string(self.says)(phase))


@dataclass(frozen=True)
class BoardLink(PagePoint):
    """A page about a board, linked below it; `route` takes task and phase. `relation`
    is one of the task without rows of which there is no page; `power` that of the
    organizers whom alone it is for (`tasks.policy.Power`). `of_measure`: the page
    follows the choice of a measure. `spans`: it is there for boards of three test sets
    or more; `asks`: for those of systems that were asked something of that kind, and
    all may know it."""

    takes: ClassVar = OF_PHASE
    title: Any
    route: str
    relation: str = ""
    power: str = ""
    of_measure: bool = False
    spans: bool = False
    asks: str = ""


@dataclass(frozen=True)
class ExportMenuPart(PartPoint):
    """A part of a board's export menu, in a group of `FormatGroup`: a template that
    has the task, the phase, and `chosen`, the choices of the page as "?..."."""

    group: str
    template: str


@dataclass(frozen=True)
class Importer(HookPoint):
    """Bundles of another site, of which tasks are made; `route` takes the slug of one.

    The others are a template for the page of new tasks, and paths of functions:
    `recognizes` takes the names of a bundle's files. `converts` takes the files and the
    Python of programs, and gives a bundle of ours with rows of a report; it runs in the
    sandbox. `creates` takes the plan of that bundle, the rows and the organizer, and
    gives the task, with lines on what was taken and what left.
    """

    takes: ClassVar = OF_TASK
    template: str
    recognizes: str
    converts: str
    creates: str
    route: str

    def is_for(self, names: Iterable[str]) -> bool:
        is_known: bool = import_string(self.recognizes)(names)
        return is_known

    def convert(self, files: Any, python: Any) -> Any:
        return import_string(self.converts)(files, python)

    def create(self, plan: Any, rows: Any, organizer: Any) -> Any:
        return import_string(self.creates)(plan, rows, organizer)


@dataclass(frozen=True)
class FeedLink(DownloadPoint):
    """A feed that pages name in their heads: of the site or, where it has a title by
    which pages link it, of a task, whose slug `route` takes."""

    route: str
    title: Any = ""

    @property
    def of_task(self) -> bool:
        return bool(self.title)


@dataclass(frozen=True)
class OutsideCounts(RowsPoint):
    """Tables of values that are counted outside the site, with which submissions are
    scored in tasks that declare measures of them. `keeper` is the path of a
    `submissions.outside_counts.Keeper`."""

    keeper: str


@dataclass(frozen=True)
class TaskFiles(RowsPoint):
    """Rows of files that are kept beside submissions, each with its size in the field
    `size`, which counts for the owner of the task; `task` is the path to it."""

    model: str
    task: str
    size: str = "size"

    @property
    def rows(self) -> Any:
        return apps.get_model(self.model)._base_manager


@dataclass(frozen=True)
class ArchivePart(DownloadPoint):
    """Files in the archive of a task that has what teams sent.

    `members` is the path of a function that takes the task and gives their names and
    contents; `first` is the one that the first page links, with what they are.
    """

    about: Any
    first: str
    members: str

    @property
    def folder(self) -> str:
        return self.first.rpartition("/")[0] + "/"

    def members_of(self, task: Any) -> Iterable[tuple[str, bytes]]:
        members: Iterable[tuple[str, bytes]] = import_string(self.members)(task)
        return members


@dataclass(frozen=True)
class ProgramRunner(HookPoint):
    """A runner of tasks whose scorer runs a program of the organizers: the path of a
    `submissions.runners.Runner`, and of functions.

    `checks` makes the set-up check of a test set; `requires` takes a person and two
    plans, and raises SetupError where the person may not change one to the other;
    `warns` takes a plan and gives a sentence if its program cannot run; `limits` gives
    those of a run. `route` takes the slug of a task whose program failed. Options that
    may change until something is scored are `mendable`.
    """

    takes: ClassVar = OF_TASK
    runner: str
    checks: str
    requires: str
    warns: str
    limits: str
    route: str
    mendable: tuple[str, ...] = ()

    def checked(self, task: Any, *about: Any) -> Any:
        return import_string(self.checks)(task, *about)

    def require(self, user: Any, before: Any, after: Any) -> None:
        import_string(self.requires)(user, before, after)

    def warning(self, plan: Any) -> str:
        warning: str = import_string(self.warns)(plan)
        return warning

    def run_limits(self) -> Any:
        return import_string(self.limits)()


@dataclass(frozen=True)
class CodeStep(HookPoint):
    """A kind of what teams send, where the input of a phase is hidden: `step` is the
    path of a `submissions.submission_kinds.SubmissionKind`. `refuses`, the path of a
    function, takes a `submissions.accept.Upload` and gives a Refusal, or None; it is
    asked before there are files as well, for the page where they are chosen."""

    step: str
    refuses: str

    def refusal(self, upload: object) -> Any:
        return import_string(self.refuses)(upload)


@dataclass(frozen=True)
class SandboxJob(JobPoint):
    """A job of the sandbox: its name, and its function as "module:function"."""

    name: str
    path: str


@dataclass(frozen=True)
class DemoPart(JobPoint):
    """A task of the demonstration: `load` is the path of a function that makes it, and
    takes the moment of now, the account of the organizer, and by their slugs the teams,
    each with one of its people."""

    load: str

    def make(self, now: Any, organizer: Any, teams: Mapping[str, Any]) -> None:
        import_string(self.load)(now, organizer, teams)


@dataclass(frozen=True)
class BundleKey(RowsPoint):
    """A key of a bundle: a list of named tables that are rows of the extra.

    The others are paths: of the class of a table, a `tasks.bundle.schema.BundlePart`,
    and of functions. `reads` takes a task and gives its tables; `writes` takes a task
    and tables, and makes the rows those; `blocks` takes the tables of before and after,
    and gives sentences on what cannot change.
    """

    name: str
    table: str
    reads: str
    writes: str
    blocks: str

    @property
    def table_class(self) -> Any:
        return import_string(self.table)

    def read(self, task: Any) -> tuple[Any, ...]:
        return tuple(import_string(self.reads)(task))

    def write(self, task: Any, tables: Iterable[Any]) -> None:
        import_string(self.writes)(task, tables)

    def blockers(self, before: Any, after: Any) -> Iterator[str]:
        tables = (getattr(plan, self.name, ()) for plan in (before, after))
        yield from import_string(self.blocks)(*tables)


# On the page of a system: in the section of scores, in the column beside it, below
# both, and at the end.
SYSTEM_PLACES = ("scores", "beside", "below", "end")
PART_PLACES = (*SYSTEM_PLACES, "row", "submission")
# Places of links, with what their routes take.
LINK_PLACES: Mapping[str, tuple[str, ...]] = {
    "account": (),
    "step": OF_TASK,
    "task": OF_TASK,
    "snapshot": (*OF_PHASE, "start"),
}
# Members of points that are paths of functions, with how many values each is given.
CALLED_WITH = {
    **dict.fromkeys(("files", "is_there", "lacks", "members", "reads", "says"), 1),
    **dict.fromkeys(("recognizes", "refuses", "seal", "warns"), 1),
    **dict.fromkeys(("blocks", "converts", "make", "sees", "writes"), 2),
    **{"limits": 0, "creates": 3, "load": 3, "requires": 3, "checks": 4},
}
# Members that are paths of values, and of a class.
NAMED_VALUES = ("keeper", "runner", "step", "table")


class Extra(AppConfig):
    """An app of `leaderboard.extras`; `points` are the values by which it joins.

    `english` are its routes of files, which are in English for every reader; `needs`
    are extras without which it does not work, each with the reason.
    """

    urls = ""  # a module of addresses
    english: tuple[str, ...] = ()
    needs: ClassVar[Mapping[str, str]] = MappingProxyType({})
    points: tuple[Point, ...] = ()
    # Django takes the AppConfig of a module that says so, not one imported there.
    default = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.default = True

    @property
    def joins(self) -> bool:
        """Whether this site has it; its tables are there all the same."""
        if self.name in settings.EXTRA_PACKAGES:
            return True
        return self.name.rpartition(".")[2] in settings.EXTRAS

    def ready(self) -> None:
        for job in self.joining(PeriodicJob) if self.joins else ():
            settings.CELERY_BEAT_SCHEDULE[job.name] = beat_entry(job)

    def joining(self, kind: type[Any]) -> list[Any]:
        return [point for point in self.points if isinstance(point, kind)]


def beat_entry(job: PeriodicJob) -> dict[str, Any]:
    """An entry of Celery's schedule."""
    return {"task": job.task, "schedule": job.seconds}


def extras() -> list[Extra]:
    """The extras of this site, in the order of `INSTALLED_APPS`."""
    installed = (app for app in apps.get_app_configs() if isinstance(app, Extra))
    return [extra for extra in installed if extra.joins]


def relations_of_tasks() -> list[str]:
    """The relations of a task that links below boards need, of extras that may join a
    site."""
    configs = (app for app in apps.get_app_configs() if isinstance(app, Extra))
    links = (link for extra in configs for link in extra.joining(BoardLink))
    return [link.relation for link in links if link.relation]


def joined(kind: type[Any]) -> Iterator[Any]:
    """Every value of that kind which an extra of this site declares."""
    yield from points_by_kind(tuple(settings.EXTRAS)).get(kind, ())


@cache
def points_by_kind(_names: tuple[str, ...]) -> Mapping[type[Any], Sequence[Any]]:
    """The points of the extras of these names, which are those of this site.

    A page asks for twenty kinds, and to walk all apps for each takes a millisecond.
    """
    points: dict[type[Any], list[Any]] = {}
    for extra in extras():
        for point in extra.points:
            points.setdefault(type(point), []).append(point)
    return points


def modules_in(package: str) -> list[str]:
    """Names of the modules of a package; none of a plain module."""
    path = getattr(import_module(package), "__path__", ())
    return [f"{package}.{module.name}" for module in iter_modules(path)]


def parts_of_extras(places: Iterable[str], row: Any, user: Any) -> list[dict[str, Any]]:
    """Parts that extras add to these places of the page of a row, those without rows
    left out."""
    parts = [
        {**vars(part), "rows": import_string(part.make)(row, user)}
        for part in joined(PagePart)
        if part.place in places
    ]
    return [part for part in parts if part["rows"]]


def links_at(place: str, task: Any = None) -> list[Link]:
    """Links that extras add to a place, of those that a task has."""
    links: Iterator[Link] = joined(Link)
    return [link for link in links if link.place == place and link.is_for(task)]


def importer_of(names: Iterable[str]) -> Importer | None:
    """The importer of a bundle with files of these names; None for a bundle of ours."""
    names = list(names)
    return next(
        (importer for importer in joined(Importer) if importer.is_for(names)), None
    )


def import_models() -> None:
    """Models of extras that are left out are there as well: their tables are, and what
    other rows stand on in them is deleted with these."""
    for name in settings.EVERY_EXTRA:
        if find_spec(module := f"leaderboard.extras.{name}.models"):
            import_module(module)


@cache
def every_extra() -> Sequence[AppConfig]:
    """Extras of this site, and those that were left out."""
    names = [f"leaderboard.extras.{name}" for name in settings.EVERY_EXTRA]
    return [AppConfig.create(name) for name in (*names, *settings.EXTRA_PACKAGES)]


def of_every_extra(kind: type[Any]) -> Iterator[Any]:
    """Every value of that kind which any extra declares: one that was left out kept
    what is in its tables."""
    for extra in every_extra():
        assert isinstance(extra, Extra)
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
    messages: list[CheckMessage] = [
        *_removed_names(),
        *_plain_packages(),
        *_check_doubles("periodic job", [job.name for job in joined(PeriodicJob)]),
        *_check_doubles("key of a bundle", [key.name for key in joined(BundleKey)]),
        *_check_doubles("personal rows", [rows.name for rows in joined(PersonalRows)]),
        *_check_doubles("job of the sandbox", [job.name for job in joined(SandboxJob)]),
    ]
    for extra in extras():
        for name in extra.needs.keys() - {other.label for other in extras()}:
            hint = "Add it to PLUMBLINE_EXTRAS, or leave out both."
            messages.append(_error(f"{extra.label} needs the extra {name}.", hint))
        for point in extra.points:
            messages += _lost_names(extra, point)
        for rows in (*extra.joining(PersonalRows), *extra.joining(TaskFiles)):
            try:
                apps.get_model(rows.model)
            except LookupError as reason:
                messages.append(_error(f"{extra.label}: {reason}"))
        for job in extra.joining(PeriodicJob):
            import_module(f"{extra.name}.jobs")
            if job.task not in _celery_tasks():
                messages.append(_error(f"{extra.label}: no Celery task {job.task!r}."))
    return messages


def _removed_names() -> Iterator[CheckMessage]:
    """Extras of earlier releases that the site names, and what replaces each."""
    named = os.environ.get("PLUMBLINE_EXTRAS", "").replace(",", " ").split()
    for name in sorted(settings.REMOVED_EXTRAS.keys() & set(named)):
        message = f"PLUMBLINE_EXTRAS names {name!r}, which this release does not have."
        hint = f"Take it out. Instead: {settings.REMOVED_EXTRAS[name]}."
        yield Warning(message, hint=hint, id="web.W003")
    for name in sorted(settings.JOINED_EXTRAS.keys() & set(named)):
        whole = settings.JOINED_EXTRAS[name]
        message = f"PLUMBLINE_EXTRAS names {name!r}, which is part of {whole!r} now."
        yield Warning(message, hint=f"Write {whole!r} in its place.", id="web.W003")


def _plain_packages() -> Iterator[CheckMessage]:
    """Packages that the site names as extras, and that are none."""
    joining = {extra.name for extra in extras()}
    for name in sorted(set(settings.EXTRA_PACKAGES) - joining):
        hint = "Take it out, or make its AppConfig a subclass of Extra."
        named = f"PLUMBLINE_EXTRA_PACKAGES names {name!r}"
        yield _error(f"{named}, whose apps.py has no Extra.", hint)


def _lost_names(extra: Extra, point: Point) -> list[CheckMessage]:
    """The route of a point that leads somewhere, and the functions that it names."""
    messages = []
    if route := getattr(point, "route", ""):
        takes = OF_TASK if getattr(point, "of_task", False) else point.takes
        if isinstance(point, Link):
            takes = LINK_PLACES.get(point.place, ())
        messages += _lost_route(extra, route, *takes)
    for name in (*CALLED_WITH, *NAMED_VALUES):
        if isinstance(path := getattr(point, name, ""), str) and path:
            messages += _lost_function(extra, path, CALLED_WITH.get(name))
    if isinstance(point, SandboxJob):
        messages += _lost_function(extra, point.path.replace(":", "."), 1)
    if isinstance(point, BoardFormats):
        names = modules_in(point.package) or [point.package]
        for name in names:
            messages += _lost_function(extra, f"{name}.FORMATS")
    if isinstance(point, PagePart | Link):
        places = PART_PLACES if isinstance(point, PagePart) else tuple(LINK_PLACES)
        if point.place not in places:
            messages.append(_error(f"{extra.label}: no place {point.place!r}."))
    relation = getattr(point, "relation", "")
    if not hasattr(apps.get_model("tasks.Task"), relation or "pk"):
        messages.append(_error(f"{extra.label}: a task has no {relation!r}."))
    if isinstance(point, BoardCharts):
        messages += _lost_function(extra, f"{point.module}.KINDS")
    return messages


def _lost_route(extra: Extra, route: str, *names: str | int) -> list[CheckMessage]:
    try:
        reverse(route, args=names)
    except NoReverseMatch as reason:
        return [_error(f"{extra.label}: {reason}")]
    return []


def _lost_function(
    extra: Extra, path: str, values: int | None = None
) -> list[CheckMessage]:
    """Whether the path leads to something, and to a function of so many values."""
    try:
        function = import_string(path)
    except ImportError as reason:
        return [_error(f"{extra.label}: {reason}")]
    if values is None:
        return []
    try:
        signature(function).bind(*range(values))
    except TypeError as reason:
        number = f"{values} value{'s' if values != 1 else ''}"
        called = f"{extra.label}: {path} is called with {number}"
        return [_error(f"{called}: {reason}.")]
    return []


def _celery_tasks() -> Mapping[str, Any]:
    tasks: Mapping[str, Any] = current_app.tasks
    return tasks


def _check_doubles(what: str, names: list[str]) -> list[CheckMessage]:
    twice = sorted({name for name in names if names.count(name) > 1})
    return [_error(f"Two extras declare the {what} {name!r}.") for name in twice]


def _error(message: str, hint: str = "Correct `points` in its apps.py.") -> Error:
    return Error(message, hint=hint, id="web.E002")
