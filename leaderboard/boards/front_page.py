"""The front page: tasks, what closes next, recent results, and search."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from leaderboard.boards.board import Board, board
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


def tasks_by_state(moment: datetime, user: Any) -> list[dict[str, Any]]:
    """Tasks with something open, then those to come, then those that are over.

    Of drafts only the reader's own. Each has its `state`, the `phase` that this is
    about if it has one, and the number of its `teams`.
    """
    teams = Count("participations", filter=_entered(), distinct=True)
    visible = policy.visible_tasks(user).annotate(teams=teams).order_by("title", "pk")
    tasks: list[Any] = list(visible.prefetch_related("phases"))
    for task in tasks:
        task.state, task.phase = _current(task, moment)
    groups = (
        (state, title, [task for task in tasks if task.state == state])
        for state, title in TITLES.items()
    )
    return [
        {"state": state, "title": title, "tasks": sorted(found, key=_soonest)}
        for state, title, found in groups
        if found
    ]


def _entered() -> Q:
    """Teams that take part and those brought along with their results; baselines
    stand under the name of a team that is neither."""
    brought = Submission.objects.filter(
        participation=OuterRef("participations"), brought_at__isnull=False
    )
    people = Q(participations__team__memberships__isnull=False)
    active = Q(participations__status=Participation.Status.ACTIVE)
    return active & (people | Exists(brought))


def _current(task: Task, moment: datetime) -> tuple[str, Phase | None]:
    """The state of a task, and the first phase in it; of those over the last."""
    phases = list(task.phases.all())
    for state in TITLES:
        if in_state := [phase for phase in phases if phase.state(moment) == state]:
            return state, in_state[-1 if state == "over" else 0]
    return "upcoming", None


def _soonest(task: Any) -> float:
    """Next event first; finished tasks latest first."""
    event = task.phase and (
        task.phase.opens if task.state == "upcoming" else task.phase.closes
    )
    stamp = event.timestamp() if event else float("inf")
    return -stamp if task.state == "over" else float(stamp)


def closes_next(groups: Sequence[Mapping[str, Any]]) -> Any:
    """The task whose open phase ends first, if one ends."""
    tasks = [task for group in groups for task in group["tasks"]]
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
    phases = Phase.objects.filter(
        Exists(scored), task__in=policy.visible_tasks(user), opens__lte=moment
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
    boards = (board(query, shown) for query in rankings(phase))
    # Of test sets entered one by one the first that somebody entered.
    ranked = next((one for one in boards if one.rows), None)
    first = [row for row in ranked.rows if row.rank == 1] if ranked else []
    if ranked is None or not first:
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
    last = sent.prefetch_related(*RELATED).order_by("-received_at", "pk")[:1]
    statuses = statuses_of(list(last), user)
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
    """Tasks by what is open, what closes next, recent results; `?q=` searches."""
    now = timezone.now()
    words = searched(request.GET.get("q", ""))
    context = {"asked": request.GET.get("q", ""), "words": words}
    if words:
        context["found"] = search(words, request.user, now)
        return render(request, "found.html", context)
    groups = tasks_by_state(now, request.user)
    results = recent_results(now)
    by_task = {result.phase.task_id: result for result in reversed(results)}
    for group in groups:
        for task in group["tasks"]:
            task.result = by_task.get(task.pk)
    context |= {
        "groups": groups,
        "next": closes_next(groups),
        "results": results,
        "own_tasks": own_tasks(request.user, now),
    }
    return render(request, "home.html", context)
