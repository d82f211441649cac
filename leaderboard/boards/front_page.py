"""The front page: a board in small, tasks by state and kind, own ranks, and search."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, cached_property
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.core.paginator import Page, Paginator
from django.db.models import (
    BigAutoField,
    Case,
    CharField,
    Count,
    DateTimeField,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    UUIDField,
    Value,
    When,
)
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from leaderboard.boards.board import Board
from leaderboard.boards.board_rows import RANKED, better_than, of_teams
from leaderboard.boards.leaders import BoardHead, newest_head
from leaderboard.boards.query import BoardQuery, rankings
from leaderboard.boards.rows import Row
from leaderboard.boards.stored_board import NotComputed, board
from leaderboard.handbook.scorers import KINDS, kind_of
from leaderboard.results.status import SubmissionStatus, statuses_of
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.submissions.quota import Allowance, QuotaUsage, allowances
from leaderboard.tasks import policy
from leaderboard.tasks.access import note_test_sets
from leaderboard.tasks.models import (
    Extension,
    Participation,
    Phase,
    Task,
    note_own_rows,
)
from leaderboard.tasks.policy import Disclosure, Reader
from leaderboard.web.access import ANYBODY, access
from leaderboard.web.known import note_rows_of, once
from leaderboard.web.page_cache import PageKey, cached_page, share
from leaderboard.web.statements import Fields, Statement, statement
from leaderboard.web.texts import wide_range
from leaderboard.web.visits import last_visit

MOST_RESULTS = 6
MOST_OWN, MOST_ORGANIZED = 5, 10
MOST_OVERTAKERS = 2
MOST_ASKED = 30
MOST_TASKS = 20
MOST_CARDS = 30  # tasks of one state on a page
MOST_BOARDS = 5
MOST_SYSTEMS = 20
SHORTEST = 2  # characters of a search
TITLES = {
    "open": _("Open now"),
    "upcoming": _("Opening later"),
    "over": pgettext_lazy("tasks", "Finished"),
}


@dataclass(frozen=True)
class OwnPlace:
    """The rank of a team among `of_all`, and its range where it is more than that.

    `ahead` are teams that got ahead after the row of this one was submitted, each with
    the time, and `since` is the last visit of the reader, where one is known; `anchor`
    is the place of the row on its board.
    """

    rank: int
    of_all: int
    range: str
    ahead: Sequence[Sequence[str]]
    anchor: str
    since: datetime | None = None

    @property
    def overtaken(self) -> "Overtaken":
        """The teams that got ahead, as a sentence names them."""
        return Overtaken([team for team, _at in self.ahead])

    @property
    def overtaken_since(self) -> "Overtaken":
        """Teams that overtook since the last visit."""
        since = self.since
        return Overtaken(
            [
                team
                for team, at in self.ahead
                if since is not None and datetime.fromisoformat(at) > since
            ]
        )


@dataclass(frozen=True)
class Overtaken:
    """Teams of which a few are named."""

    teams: Sequence[str]

    @property
    def named(self) -> Sequence[str]:
        return self.teams[:MOST_OVERTAKERS]

    @property
    def more(self) -> int:
        return max(len(self.teams) - MOST_OVERTAKERS, 0)


@dataclass(frozen=True)
class OwnTask:
    """An open phase of a task in which a team of the reader takes part.

    `left` are the attempts that are left now, None without a limit; `last` is the
    status of what was submitted last, if anything, and `place` that of the team on the
    board as the reader sees it.
    """

    phase: Phase
    team: str
    left: int | None
    last: SubmissionStatus | None
    place: OwnPlace | None

    @property
    def task(self) -> Task:
        return self.phase.task


@dataclass(frozen=True)
class Hit:
    """A row of some board whose team or system was searched for."""

    board: Board
    row: Row

    @property
    def title(self) -> str:
        """Task and phase, and the test set where each has a board of its own."""
        own = None if self.board.averages else self.board.test_set
        parts = (
            self.board.phase.task.title,
            self.board.phase.title,
            own.title if own else "",
        )
        return ", ".join(filter(None, parts))

    @property
    def choice(self) -> str:
        """The choice of that board in its address."""
        own = None if self.board.averages else self.board.test_set
        return f"?test_set={own.name}" if own else ""


@dataclass(frozen=True)
class SearchResults:
    tasks: Sequence[Task]
    hits: Sequence[Hit]

    @property
    def nothing(self) -> bool:
        return not (self.tasks or self.hits)


class FilterChoice(NamedTuple):
    """A state or kind that tasks can be filtered by; `address` chooses it, or drops it
    where it is `on`."""

    title: Any
    number: int
    on: bool
    address: str


@dataclass(frozen=True)
class TaskFilter:
    """Tasks of one state or of one kind of scorers, or both; "" leaves all.

    `words` are searched for.
    """

    state: str
    kind: str
    words: str
    moment: datetime
    reader: Any

    @classmethod
    def of(cls, asked: Mapping[str, str], moment: datetime, user: Any) -> "TaskFilter":
        """The filter of an address; a word that is no state or kind is passed over."""
        state, kind = asked.get("state", ""), asked.get("kind", "")
        return cls(
            state if state in TITLES else "",
            kind if kind in KINDS else "",
            search_words(asked.get("q", "")),
            moment,
            user,
        )

    @cached_property
    def sizes(self) -> Mapping[tuple[str, str], int]:
        """How many tasks the reader may see, by state and scorer."""
        names = {"moment": self.moment, "person": self.reader.pk or 0}
        counted = _sizes(*kind_of_reader(self.reader))(**names)
        return {(of_state, scorer): n for of_state, scorer, n in counted}

    def number(self, state: str, kind: str) -> int:
        """The number of tasks of a state and kind."""
        return sum(
            n
            for (of_state, scorer), n in self.sizes.items()
            if state in ("", of_state) and kind in ("", kind_of(scorer))
        )

    def address(self, state: str, kind: str) -> str:
        """The address of the list with this state and kind."""
        asked = {"q": self.words, "state": state, "kind": kind}
        return "?" + urlencode({key: value for key, value in asked.items() if value})

    @property
    def choices(self) -> list[FilterChoice]:
        """All tasks, then states and kinds that there are tasks of; no kinds where they
        are no choice."""
        state, kind = self.state, self.kind
        everything = FilterChoice(
            pgettext("tasks", "All"),
            self.number("", ""),
            not (state or kind),
            self.address("", ""),
        )
        states = [
            FilterChoice(
                title, n, name == state, self.address("" if on else name, kind)
            )
            for name, title in TITLES.items()
            if (n := self.number(name, kind)) or name == state
            for on in (name == state,)
        ]
        kinds = [
            FilterChoice(
                title, n, name == kind, self.address(state, "" if on else name)
            )
            for name, title in KINDS.items()
            if (n := self.number(state, name)) or name == kind
            for on in (name == kind,)
        ]
        return [everything, *states, *(kinds if len(kinds) > 1 or kind else [])]

    @property
    def scorers(self) -> list[str]:
        """The scorers of the tasks that fit."""
        scorers = {scorer for _state, scorer in self.sizes}
        return [n for n in scorers if self.kind in ("", kind_of(n))]

    def fitting_tasks(self) -> QuerySet[Any]:
        """Tasks with their states, as `_with_state` gives them, that fit."""
        tasks = _with_state(self.moment, self.reader)
        if self.state:
            tasks = tasks.filter(state=self.state)
        return tasks.filter(scorer_name__in=self.scorers) if self.kind else tasks


@dataclass(frozen=True)
class TaskGroup:
    """Tasks of one state: some of them, or those of a page; `total` counts all.

    Each task has its `state`, the `phase` that this is about if it has one, the `kind`
    of its scorer and the number of its `teams`.
    """

    state: str
    title: Any
    tasks: Sequence[Any]
    total: int
    page: Page | None = None
    address: str = ""

    @property
    def more(self) -> bool:
        return self.total > len(self.tasks)


def grouped_tasks(fits: TaskFilter) -> list[TaskGroup]:
    """Tasks with something open, then those to come, then those that are over.

    Of drafts only the reader's own; of each state the first MOST_CARDS.
    """
    reader, person = kind_of_reader(fits.reader), fits.reader.pk or 0
    totals = {state: fits.number(state, fits.kind) for state in TITLES}
    keys = [
        key
        for state, total in totals.items()
        if total
        for key in _first_keys(*reader, state)(
            moment=fits.moment, person=person, scorers=fits.scorers
        )
    ]
    cards = _cards(keys, fits.moment)
    return [
        TaskGroup(
            state,
            title,
            [task for task in cards if task.state == state],
            total,
            address=fits.address(state, fits.kind),
        )
        for state, title in TITLES.items()
        if (total := totals[state])
    ]


def group_of_tasks(fits: TaskFilter, page: str | None) -> TaskGroup:
    """One page of the tasks of a state."""
    state = fits.state
    keys = _keys_in_order(fits.fitting_tasks(), state, fits.moment)
    pages = Paginator(keys, MOST_CARDS)
    pages.count = fits.number(state, fits.kind)  # it is known
    listed = pages.get_page(page)
    tasks = _cards(listed.object_list, fits.moment)
    return TaskGroup(state, TITLES[state], tasks, pages.count, listed)


def _phases_in(state: str, moment: datetime) -> QuerySet[Phase]:
    """Phases of the task of an outer query in that state, in order."""
    phases = Phase.objects.filter(task=OuterRef("pk")).order_by("position", "pk")
    if state == "upcoming":
        return phases.filter(opens__gt=moment)
    begun = phases.filter(opens__lte=moment)
    if state == "over":
        return begun.filter(closes__lte=moment)
    return begun.filter(Q(closes=None) | Q(closes__gt=moment))


def _with_state(moment: datetime, user: Any) -> QuerySet[Any]:
    """Tasks that lists show to the user, with the states that `Phase.state` gives."""
    state = Case(
        When(Exists(_phases_in("open", moment)), then=Value("open")),
        When(Exists(_phases_in("upcoming", moment)), then=Value("upcoming")),
        When(Exists(_phases_in("over", moment)), then=Value("over")),
        default=Value("upcoming"),
        output_field=CharField(),
    )
    return policy.listed_tasks(user).annotate(state=state)


def _keys_in_order(tasks: QuerySet[Any], state: str, moment: datetime) -> QuerySet[Any]:
    """Keys of the tasks of a state, next event first; finished ones latest first."""
    phases = _phases_in(state, moment)
    if state == "over":
        phases = phases.reverse()
    event = phases.values("opens" if state == "upcoming" else "closes")[:1]
    in_state = tasks.filter(state=state).annotate(event=Subquery(event))
    first = F("event").desc() if state == "over" else F("event").asc(nulls_last=True)
    ordered = in_state.order_by(first, "title", "pk")
    return ordered.values_list("pk", "state")


def kind_of_reader(user: Any) -> tuple[bool, bool]:
    """Whether somebody reads who is signed in, and who sees all tasks."""
    return user.is_authenticated, user.is_authenticated and user.is_superuser


@cache
def _sizes(signed_in: bool, sees_all: bool) -> Statement:
    """How many tasks such a reader sees, by state and scorer."""

    def sizes(moment: datetime, person: int) -> QuerySet:
        tasks = _with_state(moment, Reader(person, signed_in, sees_all)).order_by()
        return tasks.values_list("state", "scorer_name").annotate(Count("pk"))

    return Statement(sizes, {"moment": DateTimeField(), "person": BigAutoField()})


@cache
def _first_keys(signed_in: bool, sees_all: bool, state: str) -> Statement:
    """The first keys of tasks of a state that such a reader sees."""

    def keys(moment: datetime, person: int, scorers: Collection[str]) -> QuerySet:
        tasks = _with_state(moment, Reader(person, signed_in, sees_all))
        fitting = tasks.filter(scorer_name__in=scorers)
        return _keys_in_order(fitting, state, moment)[:MOST_CARDS]

    fields: Fields = {"moment": DateTimeField(), "person": BigAutoField()}
    return Statement(keys, {**fields, "scorers": [CharField()]})


@statement(keys=[BigAutoField()])
def _tasks(keys: Collection[int]) -> QuerySet[Task]:
    entered = that_entered("participations")
    teams = Count("participations", filter=entered, distinct=True)
    return Task.objects.filter(pk__in=keys).annotate(teams=teams)


@statement(tasks=[BigAutoField()])
def _phases(tasks: Collection[int]) -> QuerySet[Phase]:
    return Phase.objects.filter(task__in=tasks)


def note_phases(tasks: Collection[Task]) -> None:
    """The phases of tasks, in one query; they know them then, and these their task."""
    rows = _phases(tasks=[task.pk for task in tasks]) if tasks else []
    note_rows_of(tasks, "phases", rows, "task")


def _cards(keys: Iterable[tuple[int, str]], moment: datetime) -> list[Any]:
    """The tasks with these keys and states, in this order; two queries."""
    states = dict(keys)
    tasks = {task.pk: task for task in _tasks(keys=states)}
    note_phases(tasks.values())
    return [_card(tasks[pk], state, moment) for pk, state in states.items()]


def _card(task: Any, state: str, moment: datetime) -> Any:
    """The task with its state, and the first phase in it; of those over the last."""
    phases = [phase for phase in task.phases.all() if phase.state(moment) == state]
    task.state = state
    task.phase = phases[-1 if state == "over" else 0] if phases else None
    task.kind = KINDS[kind_of(task.scorer_name)]
    return task


def that_entered(path: str = "") -> Q:
    """Teams of people, and those without any whose results are there: brought along,
    or of accounts that were deleted. Baselines stand under the name of a team that is
    neither. `path` leads to participations."""
    start = f"{path}__" if path else ""
    sent = Submission.objects.filter(
        participation=OuterRef(path or "pk"), baseline=False
    )
    people = Q((f"{start}team__memberships__isnull", False))
    active = Q((f"{start}status", Participation.Status.ACTIVE))
    return Q(active & (people | Exists(sent)))


def recent_results(moment: datetime, teams: Mapping[int, int]) -> list[BoardHead]:
    """The heads of boards of different tasks, what was decided last before the rest.

    As the public sees them, drafts left out. The first is that of the open task in
    which most teams take part, by task in `teams`, with its first rows; none is with
    rows where nobody counted teams. The number of queries does not grow with the number
    of tasks: MOST_RESULTS boards at most are made, and kept for seconds, and no more
    are asked for once as many are not computed yet.
    """
    by_task: dict[int, list[Phase]] = {}
    for phase in read_for_boards(_with_public_scores(moment=moment)):
        by_task.setdefault(phase.task_id, []).append(phase)
    not_computed: set[int] = set()

    def head(task: int, rows: bool = False) -> BoardHead | None:
        if task in not_computed or len(not_computed) >= MOST_RESULTS:
            return None
        try:
            return newest_head(by_task[task], moment, rows)
        except NotComputed:
            not_computed.add(task)
            return None

    def decided(task: int) -> datetime:
        return max(min(p.closes or moment, moment) for p in by_task[task])

    tasks = sorted(by_task, key=decided, reverse=True)
    still_open = [
        task for task in tasks if any(p.state(moment) == "open" for p in by_task[task])
    ]
    busiest = sorted(still_open, key=lambda task: -teams.get(task, 0))
    heads = (head(task, rows=True) for task in busiest if teams)
    first = next((top for top in heads if top), None)
    first_of_task = {first.phase.task_id: first} if first else {}
    for task in tasks:
        if len(first_of_task) >= MOST_RESULTS:
            break
        if task not in first_of_task and (top := head(task)):
            first_of_task[task] = top
    return list(first_of_task.values())


def with_scores(moment: datetime, user: Any = None) -> QuerySet[Phase]:
    """Phases that have begun and have a scored submission, newest first.

    Those of tasks that lists show to the user; without one, to everybody.
    """
    scored = Submission.objects.filter(
        phase=OuterRef("pk"), evaluations__state=EvaluationState.SCORED
    )
    # The first of each phase by index; of EXISTS a database makes a list of them all.
    first = Subquery(scored.order_by().values("pk")[:1])
    phases = Phase.objects.annotate(scored=first).filter(
        scored__isnull=False, task__in=policy.listed_tasks(user), opens__lte=moment
    )
    related = phases.select_related("task", "gold_revision").order_by("-opens", "pk")
    return policy.with_neighbours(related)


@statement(moment=DateTimeField())
def _with_public_scores(moment: datetime) -> QuerySet[Phase]:
    return with_scores(moment)[:MOST_ASKED]


def read_for_boards(phases: Iterable[Phase]) -> list[Phase]:
    """The phases, of `policy.with_neighbours`, with what their boards are made of."""
    prepared = [policy.note_neighbours(phase) for phase in phases]
    if prepared:
        note_test_sets(*prepared)
    tasks = [phase.task for phase in prepared]
    note_own_rows(tasks, "questions")
    note_own_rows(tasks, "named_boards")
    return prepared


def own_tasks(
    user: Any, moment: datetime, since: datetime | None = None
) -> list[OwnTask]:
    """The open tasks of the reader's teams, what closes first before the rest; `since`
    is when the reader was here before."""
    active = Participation.Status.ACTIVE
    by_task = {e.task_id: e for e in _entries_of(user) if e.status == active}
    phases = (
        _open_phases(
            moment=moment,
            person=user.pk,
            tasks=by_task,
            entries=[entry.pk for entry in by_task.values()],
        )
        if by_task
        else ()
    )
    of_task: dict[int, list[Phase]] = {}
    for phase in phases:
        of_task.setdefault(phase.task_id, []).append(phase)
    own = [_phase_of_team(phases) for phases in list(of_task.values())[:MOST_OWN]]
    own = read_for_boards(own)
    uses = [QuotaUsage(p, by_task[p.task_id], user, moment) for p in own]
    statuses = _last_statuses(own, by_task, user)
    return [
        _own_task(use, left, statuses.get(use.phase.pk), since)
        for use, left in zip(uses, allowances(uses), strict=True)
    ]


def first_step(phases: Iterable[Phase]) -> Phase | None:
    """The phase to begin with: the first that is open to teams."""
    closed_to_teams = Phase.Who.ORGANIZERS
    usable = (
        phase
        for phase in phases
        if phase.state() == "open" and not phase.paused and phase.who != closed_to_teams
    )
    return next(usable, None)


def _phase_of_team(phases: Sequence[Phase]) -> Phase:
    """The phase of a task that its team goes on with: of those that close next the
    newest to which it has sent something, else the one to begin with."""
    next_ones = [phase for phase in phases if phase.closes == phases[0].closes]
    begun = (phase for phase in next_ones if vars(phase)["last"] is not None)
    return next(begun, first_step(reversed(next_ones)) or phases[0])


def _entries_of(user: Any) -> list[Participation]:
    """Entries of a person's teams, and whether lists leave out their tasks."""
    if not user.is_authenticated:
        return []
    return once(("entries", user.pk), lambda: _entries(person=user.pk))


@statement(person=BigAutoField())
def _entries(person: int) -> QuerySet:
    entries = Participation.objects.of(Reader(person, True, False))
    hidden = entries.annotate(unlisted=F("task__unlisted"))
    return hidden.select_related("team").order_by("-pk")


@statement(
    moment=DateTimeField(),
    person=BigAutoField(),
    tasks=[BigAutoField()],
    entries=[BigAutoField()],
)
def _open_phases(
    moment: datetime, person: int, tasks: Collection[int], entries: Collection[int]
) -> QuerySet[Phase]:
    """Phases of these tasks that are open to these teams, with what was sent last."""
    longer = Extension.objects.filter(participation__in=entries, until__gt=moment)
    phases = Phase.objects.filter(
        Q(closes__isnull=True)
        | Q(closes__gt=moment)
        | Q(pk__in=longer.values("phase")),
        task__in=tasks,
        opens__lte=moment,
    )
    sent = Submission.objects.filter(
        phase=OuterRef("pk"), participation__in=entries, baseline=False
    )
    last = Subquery(sent.order_by("-received_at", "pk").values("pk")[:1])
    related = phases.select_related("task", "gold_revision").annotate(last=last)
    # The team of organizers is no team to send with.
    organized = Task.objects.filter(organizer__user=person)
    related = related.exclude(Q(task__in=organized, last__isnull=True))
    ordered = related.order_by(F("closes").asc(nulls_last=True), "-opens", "pk")
    return policy.with_neighbours(ordered)


@statement(keys=[UUIDField()])
def _submissions(keys: Collection[UUID]) -> QuerySet[Submission]:
    return Submission.objects.filter(pk__in=keys)


@statement(submissions=[UUIDField()])
def _evaluations(submissions: Collection[UUID]) -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(submission__in=submissions)


def _last_statuses(
    phases: Sequence[Phase], by_task: Mapping[int, Participation], user: Any
) -> dict[int, SubmissionStatus]:
    """The status of what was submitted last, by the key of its phase."""
    newest = [vars(phase)["last"] for phase in phases]
    last = [pk for pk in newest if pk is not None]
    known = {phase.pk: phase for phase in phases}
    submissions = _submissions(keys=last) if last else []
    evaluations = _evaluations(submissions=last) if last else []
    for submission in submissions:  # they are known, with what the policy asks of them
        submission.phase = phase = known[submission.phase_id]
        submission.participation = by_task[phase.task_id]
    note_rows_of(submissions, "evaluations", evaluations, "submission")
    statuses = statuses_of(submissions, user)
    return {status.submission.phase_id: status for status in statuses}


@dataclass(frozen=True)
class OrganizedTask:
    """A task that the reader runs: a phase that is open, or comes next, and how much
    was sent to all of them, baselines apart."""

    task: Task
    phase: Phase | None
    sent: int


def organized_tasks(tasks: Sequence[Task], moment: datetime) -> list[OrganizedTask]:
    """Tasks of which the reader is an organizer."""
    note_phases(tasks)
    organized = []
    for task in tasks:
        left = [phase for phase in task.phases.all() if phase.state(moment) != "over"]
        left.sort(key=lambda phase: (phase.state(moment) != "open", phase.opens))
        sent = vars(task)["sent"] or 0
        organized.append(OrganizedTask(task, left[0] if left else None, sent))
    return organized


@statement(person=BigAutoField())
def _tasks_of_organizer(person: int) -> QuerySet[Task]:
    sent = Submission.objects.filter(phase__task=OuterRef("pk"), baseline=False)
    number = sent.order_by().values("phase__task").annotate(n=Count("pk")).values("n")
    rows = Task.objects.filter(organizer__user=person).annotate(sent=Subquery(number))
    return rows.order_by("-pk")[:MOST_ORGANIZED]


def _own_task(
    use: QuotaUsage,
    left: Allowance,
    status: SubmissionStatus | None,
    since: datetime | None,
) -> OwnTask:
    known = [n for n in (left.today, left.total) if n is not None]
    return OwnTask(
        use.phase,
        str(use.entry.team),
        min(known) if known else None,
        status,
        own_place(use.phase, use.entry, status.shown, since) if status else None,
    )


def own_place(
    phase: Phase,
    entry: Participation,
    shown: Disclosure,
    since: datetime | None = None,
) -> OwnPlace | None:
    """The place of the team on the board that its reader sees; kept for seconds.

    None where that is not known: a large board that is not computed yet.
    """
    if not shown.board:
        return None
    parts = (*BoardQuery(phase).cache_parts(shown), entry.pk, get_language())
    try:
        place = cached_page(
            PageKey("own place", parts, phase.board_version),
            lambda: _place_of_team(phase, entry, shown),
        )
    except NotComputed:
        return None
    return OwnPlace(**place, since=since) if place else None


def _place_of_team(
    phase: Phase, entry: Participation, shown: Disclosure
) -> dict[str, Any] | None:
    """The first test set on which the team is ranked, of those entered singly."""
    for query in rankings(phase):
        ranking = board(query, shown)
        own = next(iter(ranking.rows.where(RANKED & of_teams([entry.pk]))), None)
        if own is None:
            continue
        choice = f"?test_set={query.test_set}" if query.test_set else ""
        return {
            "rank": own.rank,
            "of_all": ranking.rows.summary.ranked,
            "range": wide_range(own.rank, own.standing.low, own.standing.high),
            "ahead": [
                [team, at.isoformat()]  # a list: the cache takes plain values
                for team, at in overtakers(own, ranking)
            ],
            "anchor": f"{choice}#row-{own.submission}",
        }
    return None


def overtakers(own: Row, ranking: Board) -> list[tuple[str, datetime]]:
    """Teams ahead of one's own row that had nothing better when it was submitted, and
    when they first had, of what the reader is shown."""
    sign = 1 if ranking.measure.higher_is_better else -1
    value = own.value or 0.0
    first: dict[int, float] = {}
    for team, at, better in ranking.source.history.teams:
        if sign * better > sign * value:
            first.setdefault(team, at)
    since = own.received_at.timestamp()
    if not (later := {team: at for team, at in first.items() if at > since}):
        return []
    ahead = ranking.rows.where(better_than(own.rank or 0) & of_teams(later))
    times = [later[row.evaluation.participation_id] for row in ahead]
    return [
        (row.team, datetime.fromtimestamp(at, UTC))
        for row, at in zip(ahead, times, strict=True)
    ]


def search_words(text: str) -> str:
    """The words to search for; empty for too little. PostgreSQL takes no NUL."""
    words = text.replace("\0", "").strip()
    return words if len(words) >= SHORTEST else ""


def search(fits: TaskFilter) -> SearchResults:
    """Tasks that the reader may see and that fit, and rows that the reader's boards
    show.

    Names are compared as boards print them, so that no other name of a team can be
    found out.
    """
    words = fits.words
    about = Q(title__icontains=words) | Q(summary__icontains=words)
    about |= Q(slug__icontains=words)
    tasks = fits.fitting_tasks().filter(about).order_by("title", "pk")
    cards = _cards(tasks.values_list("pk", "state")[:MOST_TASKS], fits.moment)
    # No board is read for hits that are not shown.
    return SearchResults(cards, [*islice(_hits(fits), MOST_SYSTEMS)])


def _hits(fits: TaskFilter) -> Iterator[Hit]:
    """Raises NotComputed at the end, when all boards have been asked for, where one is
    still to be computed."""
    words, user, moment = fits.words, fits.reader, fits.moment
    named = Q(system__icontains=words)
    named |= Q(participation__team__name__icontains=words)
    holding = Submission.objects.filter(named, phase=OuterRef("pk"))
    phases = with_scores(moment, user).filter(Exists(holding))
    if fits.state or fits.kind:
        phases = phases.filter(task__in=fits.fitting_tasks().values("pk"))
    not_computed = None
    for phase in read_for_boards(phases[:MOST_BOARDS]):
        disclosure = policy.disclosure(user, phase, moment)
        if not disclosure.board:
            continue
        for query in rankings(phase, everything=disclosure.everything, search=words):
            try:
                ranking = board(query, disclosure)
            except NotComputed as error:
                not_computed = error
            else:
                yield from (Hit(ranking, row) for row in ranking.rows)
    if not_computed:
        raise not_computed


@require_safe
@access(ANYBODY)
def home(request: HttpRequest) -> HttpResponse:
    """A board in small, and tasks by what is open.

    `?q=` searches, `?state=` lists all tasks of a state by pages, and `?kind=` those
    of one kind of scorers.
    """
    now, user = timezone.now(), request.user
    fits = TaskFilter.of(request.GET, now, user)
    context: dict[str, Any] = {
        "asked": request.GET.get("q", ""),
        "words": fits.words,
        "fits": fits,
    }
    if fits.words:
        context["found"] = search(fits)
        return render(request, "found.html", context)
    if fits.state:
        context["group"] = group_of_tasks(fits, request.GET.get("page"))
        return share(request, render(request, "tasks_of_state.html", context))
    organizing = _tasks_of_organizer(person=user.pk) if user.pk else []
    context |= {
        **_lists_for(fits, context["asked"], organizing),
        "own_tasks": own_tasks(user, now, last_visit(request, now)),
        "organized": organized_tasks(organizing, now),
    }
    return share(request, render(request, "home.html", context))


def _lists_for(
    fits: TaskFilter, asked: str, organizing: Sequence[Task]
) -> Mapping[str, str]:
    """The lists of `_task_lists`; kept for a second for readers to whom no task is
    listed that others are not shown."""
    own = any(task.draft or task.unlisted for task in organizing)
    own |= any(vars(entry)["unlisted"] for entry in _entries_of(fits.reader))
    own |= len(organizing) == MOST_ORGANIZED or fits.reader.is_superuser
    if own or asked:
        return _task_lists(fits, asked)
    fits = replace(fits, reader=AnonymousUser())
    parts = fits.kind, get_language()
    lists: Mapping[str, str] = cached_page(
        PageKey("tasks", parts, None), lambda: _task_lists(fits, asked)
    )
    return lists


def _task_lists(fits: TaskFilter, asked: str) -> dict[str, str]:
    """The tasks, the first rows of the busiest board, and the state of the first task,
    as HTML."""
    groups = grouped_tasks(fits)
    cards = {task.pk: task for group in groups for task in group.tasks}
    teams = {} if fits.kind else {pk: task.teams for pk, task in cards.items()}
    results = recent_results(fits.moment, teams)
    for result in results:
        if result.phase.task_id in cards:
            cards[result.phase.task_id].result = result
    busiest = next((head for head in results if head.table), None)
    context = {"fits": fits, "asked": asked, "groups": groups, "busiest": busiest}
    return {
        "tasks": render_to_string("pages/_tasks.html", context),
        "leaders": render_to_string("pages/_busiest.html", context) if busiest else "",
        "first_state": groups[0].state if groups else "",
    }
