"""The front page: tasks, what closes next, recent results, and search."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.paginator import Page, Paginator
from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
    prefetch_related_objects,
)
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from leaderboard.boards.board import Board, board, board_entries
from leaderboard.boards.page_cache import PageKey, cached
from leaderboard.boards.query import BoardQuery, rankings
from leaderboard.boards.rows import Row
from leaderboard.submissions.models import EvaluationState, Submission
from leaderboard.submissions.quota import QuotaUsage
from leaderboard.submissions.status import RELATED, SubmissionStatus, statuses_of
from leaderboard.tasks import policy
from leaderboard.tasks.models import Extension, Participation, Phase, Task
from leaderboard.tasks.policy import Disclosure
from leaderboard.web.access import ANYBODY, access

MOST_RESULTS = 6
MOST_LEADERS = 3
MOST_OWN = 5
MOST_ASKED = 30
MOST_TASKS = 20
MOST_CARDS = 30  # tasks of one state on a page
MOST_BOARDS = 5
MOST_SYSTEMS = 20
SHORTEST, LONGEST = 2, 80
TITLES = {
    "open": _("Open now"),
    "upcoming": _("Opening later"),
    "over": pgettext_lazy("tasks", "Finished"),
}


@dataclass(frozen=True)
class RecentResult:
    """The leaders of a board as anybody sees it; `more` share the first rank with them.

    `leaders` are system and team of each, `measure` is the title of what ranks,
    `value` and `interval` are printed.
    """

    phase: Phase
    leaders: Sequence[Mapping[str, str]]
    more: int
    measure: str
    value: str
    interval: str

    @property
    def over(self) -> bool:
        return self.phase.state() == "over"


@dataclass(frozen=True)
class OwnTask:
    """An open phase of a task in which a team of the reader takes part.

    `left` are the attempts that are left now, None without a limit; `last` is the
    status of what was submitted last, if anything.
    """

    phase: Phase
    team: str
    left: int | None
    last: SubmissionStatus | None

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
        parts = (self.board.phase.task.title, self.board.phase.title, own and own.title)
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


@dataclass(frozen=True)
class TaskGroup:
    """Tasks of one state: some of them, or those of a page; `total` counts all.

    Each task has its `state`, the `phase` that this is about if it has one, and the
    number of its `teams`.
    """

    state: str
    title: Any
    tasks: Sequence[Any]
    total: int
    page: Page | None = None

    @property
    def more(self) -> bool:
        return self.total > len(self.tasks)


def tasks_by_state(moment: datetime, user: Any) -> list[TaskGroup]:
    """Tasks with something open, then those to come, then those that are over.

    Of drafts only the reader's own; of each state the first MOST_CARDS.
    """
    known = _with_state(moment, user)
    sizes = dict(known.order_by().values_list("state").annotate(Count("pk")))
    return [
        TaskGroup(
            state,
            title,
            _cards(_ordered(known, state, moment)[:MOST_CARDS], moment),
            total,
        )
        for state, title in TITLES.items()
        if (total := sizes.get(state, 0))
    ]


def group_of_tasks(
    state: str, moment: datetime, user: Any, page: str | None
) -> TaskGroup:
    """One page of the tasks of a state."""
    keys = _ordered(_with_state(moment, user), state, moment)
    listed = Paginator(keys, MOST_CARDS).get_page(page)
    tasks = _cards(listed.object_list, moment)
    return TaskGroup(state, TITLES[state], tasks, listed.paginator.count, listed)


def _phases_in(state: str, moment: datetime) -> QuerySet[Phase]:
    """Phases of the task of an outer query in that state, in order."""
    phases = Phase.objects.filter(task=OuterRef("pk")).order_by("position", "pk")
    if state == "upcoming":
        return phases.filter(opens__gt=moment)
    begun = phases.filter(opens__lte=moment)
    if state == "over":
        return begun.filter(closes__lte=moment)
    return begun.filter(Q(closes=None) | Q(closes__gt=moment))


def _with_state(moment: datetime, user: Any) -> QuerySet[Task]:
    """Tasks that the user may see, with the state that `Phase.state` gives them."""
    state = Case(
        When(Exists(_phases_in("open", moment)), then=Value("open")),
        When(Exists(_phases_in("upcoming", moment)), then=Value("upcoming")),
        When(Exists(_phases_in("over", moment)), then=Value("over")),
        default=Value("upcoming"),
        output_field=CharField(),
    )
    return policy.visible_tasks(user).annotate(state=state)


def _ordered(tasks: QuerySet[Task], state: str, moment: datetime) -> QuerySet[Any]:
    """Keys of the tasks of a state, next event first; finished ones latest first."""
    phases = _phases_in(state, moment)
    if state == "over":
        phases = phases.reverse()
    event = phases.values("opens" if state == "upcoming" else "closes")[:1]
    in_state = tasks.filter(state=state).annotate(event=Subquery(event))
    first = F("event").desc() if state == "over" else F("event").asc(nulls_last=True)
    ordered = in_state.order_by(first, "title", "pk")
    return ordered.values_list("pk", "state")


def _cards(keys: Iterable[tuple[int, str]], moment: datetime) -> list[Any]:
    """The tasks with these keys and states, in this order; two queries."""
    states = dict(keys)
    teams = Count("participations", filter=_entered(), distinct=True)
    rows = Task.objects.filter(pk__in=list(states)).annotate(teams=teams)
    tasks: dict[int, Any] = {task.pk: task for task in rows.prefetch_related("phases")}
    return [_card(tasks[pk], state, moment) for pk, state in states.items()]


def _card(task: Any, state: str, moment: datetime) -> Any:
    """The task with its state, and the first phase in it; of those over the last."""
    phases = [phase for phase in task.phases.all() if phase.state(moment) == state]
    task.state = state
    task.phase = phases[-1 if state == "over" else 0] if phases else None
    return task


def _entered() -> Q:
    """Teams that take part and those brought along with their results; baselines
    stand under the name of a team that is neither."""
    brought = Submission.objects.filter(
        participation=OuterRef("participations"), brought_at__isnull=False
    )
    people = Q(participations__team__memberships__isnull=False)
    active = Q(participations__status=Participation.Status.ACTIVE)
    return active & (people | Exists(brought))


def closes_next(groups: Sequence[TaskGroup]) -> Any:
    """The task whose open phase ends first, if one ends."""
    tasks = [task for group in groups for task in group.tasks]
    ending = (task for task in tasks if task.state == "open" and task.phase.closes)
    return next(ending, None)


def recent_results(moment: datetime) -> list[RecentResult]:
    """Leaders of the boards that are shown, what was decided last first.

    As the public sees it, drafts left out. The number of queries does not grow with
    the number of tasks: at most MOST_RESULTS boards are made, and kept for seconds.
    """
    phases = sorted(
        with_scores(moment)[:MOST_ASKED],
        key=lambda phase: min(phase.closes or moment, moment),
        reverse=True,
    )
    found: list[RecentResult] = []
    for phase in phases:
        if len(found) < MOST_RESULTS and (lead := _lead(phase, moment)):
            found.append(RecentResult(phase, **lead))
    return found


def with_scores(moment: datetime, user: Any = None) -> QuerySet[Phase]:
    """Phases that have begun and have a scored submission, newest first.

    Those of tasks that the user may see; without one, that everybody may.
    """
    scored = Submission.objects.filter(
        phase=OuterRef("pk"), evaluations__state=EvaluationState.SCORED
    )
    # The first of each phase by index; of EXISTS a database makes a list of them all.
    first = Subquery(scored.order_by().values("pk")[:1])
    phases = Phase.objects.annotate(scored=first).filter(
        scored__isnull=False, task__in=policy.visible_tasks(user), opens__lte=moment
    )
    related = phases.select_related("task", "gold_revision").order_by("-opens", "pk")
    return policy.with_neighbours(related)


def _lead(phase: Phase, moment: datetime) -> dict[str, Any] | None:
    """The members of a result beside its phase, as plain values for other processes."""
    shown = policy.disclosure(AnonymousUser(), phase, moment)
    if not shown.board:
        return None
    parts = (*BoardQuery(phase).cache_parts(shown), get_language())
    found: dict[str, Any] | None = cached(
        PageKey("lead", parts, phase.board_version), lambda: _led(phase, shown)
    )
    return found


def _led(phase: Phase, shown: Disclosure) -> dict[str, Any] | None:
    boards = (board_entries(query, shown) for query in rankings(phase))
    # Of test sets entered one by one the first that somebody entered.
    entries = next((one for one in boards if one.one_each), None)
    if entries is None:
        return None
    ranks, ranked = entries.ranks, entries.board
    first = [row for row in entries.one_each if ranks[row.submission] == 1]
    if not first:
        return None
    score = first[0].sorted_by
    of = "" if ranked.averages or ranked.test_set is None else ranked.test_set.title
    return {
        "leaders": [
            {"system": r.system, "team": r.team, "page": r.team_page}
            for r in first[:MOST_LEADERS]
        ],
        "more": max(len(first) - MOST_LEADERS, 0),
        "measure": ", ".join(filter(None, [str(score.measure.title), of])),
        "value": score.printed,
        "interval": score.interval,
    }


def own_tasks(user: Any, moment: datetime) -> list[OwnTask]:
    """The open tasks of the reader's teams, what closes first before the rest."""
    if not user.is_authenticated:
        return []
    entries = Participation.objects.of(user).filter(status=Participation.Status.ACTIVE)
    by_task = {
        entry.task_id: entry
        for entry in entries.select_related("team").order_by("-pk")
        if entry.merged_into_id is None
    }
    longer = Extension.objects.filter(
        participation__in=by_task.values(), until__gt=moment
    )
    phases = Phase.objects.filter(
        Q(closes__isnull=True)
        | Q(closes__gt=moment)
        | Q(pk__in=longer.values("phase")),
        task__in=by_task,
        opens__lte=moment,
    )
    related = phases.select_related("task", "gold_revision")
    ordered = related.order_by(F("closes").asc(nulls_last=True), "-opens", "pk")
    first: dict[int, Phase] = {}
    for phase in policy.with_neighbours(ordered):
        first.setdefault(phase.task_id, phase)
    return [
        _own_task(phase, by_task[phase.task_id], user, moment)
        for phase in list(first.values())[:MOST_OWN]
    ]


def _own_task(
    phase: Phase, entry: Participation, user: Any, moment: datetime
) -> OwnTask:
    allowance = QuotaUsage(phase, entry, user, moment).allowance()
    known = [n for n in (allowance.today, allowance.total) if n is not None]
    sent = Submission.objects.filter(phase=phase, participation=entry, baseline=False)
    last = list(sent.order_by("-received_at", "pk")[:1])
    for submission in last:  # they are known, with what the policy asks of them
        submission.phase, submission.participation = phase, entry
    prefetch_related_objects(last, *RELATED)
    statuses = statuses_of(last, user)
    return OwnTask(
        phase,
        str(entry.team),
        min(known) if known else None,
        statuses[0] if statuses else None,
    )


def searched(text: str) -> str:
    """The words to search for; empty for too little. PostgreSQL takes no NUL."""
    words = text.replace("\0", "").strip()[:LONGEST]
    return words if len(words) >= SHORTEST else ""


def search(words: str, user: Any, moment: datetime) -> SearchResults:
    """Tasks that the reader may see, and rows that the reader's boards show.

    Names are compared as boards print them, so that no other name of a team can be
    found out.
    """
    about = Q(title__icontains=words) | Q(summary__icontains=words)
    about |= Q(slug__icontains=words)
    tasks = policy.visible_tasks(user).filter(about).order_by("title", "pk")
    return SearchResults(
        tasks[:MOST_TASKS], list(_hits(words, user, moment))[:MOST_SYSTEMS]
    )


def _hits(words: str, user: Any, moment: datetime) -> Iterator[Hit]:
    named = Q(system__icontains=words)
    named |= Q(participation__team__name__icontains=words)
    holding = Submission.objects.filter(named, phase=OuterRef("pk"))
    phases = with_scores(moment, user).filter(Exists(holding))
    for phase in phases[:MOST_BOARDS]:
        shown = policy.disclosure(user, phase, moment)
        if not shown.board:
            continue
        for query in rankings(phase, everything=shown.everything, search=words):
            found = board(query, shown)
            yield from (Hit(found, row) for row in found.rows)


@require_safe
@access(ANYBODY)
def home(request: HttpRequest) -> HttpResponse:
    """Tasks by what is open, what closes next, recent results; `?q=` searches, and
    `?state=` lists all tasks of a state by pages."""
    now = timezone.now()
    words = searched(request.GET.get("q", ""))
    context = {"asked": request.GET.get("q", ""), "words": words}
    if words:
        context["found"] = search(words, request.user, now)
        return render(request, "found.html", context)
    if (state := request.GET.get("state", "")) in TITLES:
        page = request.GET.get("page")
        context["group"] = group_of_tasks(state, now, request.user, page)
        return render(request, "tasks_of_state.html", context)
    groups = tasks_by_state(now, request.user)
    results = recent_results(now)
    by_task = {result.phase.task_id: result for result in reversed(results)}
    for group in groups:
        for task in group.tasks:
            task.result = by_task.get(task.pk)
    context |= {
        "groups": groups,
        "next": closes_next(groups),
        "results": results,
        "own_tasks": own_tasks(request.user, now),
    }
    return render(request, "home.html", context)
