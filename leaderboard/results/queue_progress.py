"""Watching a submission: its place in the queue, the wait, and what happened so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.db.models import (
    BigAutoField,
    Count,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.results import waiting_pages
from leaderboard.results.status import SubmissionStatus, evaluation_of
from leaderboard.submissions import dispatch
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Event,
    QuotaEntry,
)
from leaderboard.web.statements import statement

LOOKED_AT = 50  # of the evaluations made last
LEAST = 3  # of them, to tell anything from
FAST, SLOW = 0.25, 0.9  # quantiles of their durations
START = timedelta(seconds=2)  # until a worker hears of it
# The page asks often where something may happen soon, and seldom at the end of a queue.
NOW, AT_ONCE, SOON, LATER, MUCH_LATER = 0.1, 0.25, 1, 3, 10
NEARLY_FIRST = 5  # places before which the order of a moment ago is good enough
MINUTE = 60
HELD = 5  # a page shows its place for that part of the wait while nothing happens
YOUNG = timedelta(seconds=5)  # most are scored before
NEW = timedelta(seconds=1)
MOVES = {
    (EvaluationState.AWAITING, EvaluationState.QUEUED): gettext_lazy(
        "The organizers sent what they counted"
    ),
    (EvaluationState.RUNNING, EvaluationState.QUEUED): gettext_lazy(
        "The attempt failed on our side; it is tried again, at no cost"
    ),
    (EvaluationState.FAILED_SYSTEM, EvaluationState.QUEUED): gettext_lazy(
        "Queued again by the operators"
    ),
}


@dataclass(frozen=True)
class PastStep:
    """Something that happened, in words."""

    at: datetime
    text: str


@dataclass(frozen=True)
class Span:
    """A range of time, both ends from what took as long lately."""

    low: timedelta
    high: timedelta

    def __str__(self) -> str:
        low, high = in_words(self.low), in_words(self.high)
        if low == high:
            return _("about %(time)s") % {"time": high}
        return _("%(low)s to %(high)s") % {"low": low, "high": high}


@dataclass(frozen=True)
class QueueProgress:
    """Progress that a page shows beside the state.

    `ahead`: how many begin before it, None where it is not in line. `wait`: until the
    result, `usual`: what scoring takes; None where nothing is known. `share`: how much
    of the usual time is over, in percent, never all of it. `team_busy`: how many of
    the team are scored now, if that is as many as a team may have at a time. `age` is
    how long its state has been as it is. `token` lets the page ask cheaply whether
    anything happened.
    """

    steps: Sequence[PastStep]
    ahead: int | None = None
    wait: Span | None = None
    usual: Span | None = None
    running: timedelta | None = None
    share: int | None = None
    again_at: datetime | None = None
    team_busy: int = 0
    refunded_at: datetime | None = None
    age: timedelta = YOUNG
    token: str = ""

    @property
    def place(self) -> int | None:
        """The place in the queue, from 1."""
        return None if self.ahead is None else self.ahead + 1

    @property
    def milliseconds(self) -> int:
        """After how many the page should ask again."""
        return round(1000 * self._seconds)

    @property
    def _seconds(self) -> float:
        first = self.running is not None or self.ahead == 0
        if first and self.age < YOUNG:
            return NOW if self.age < NEW else AT_ONCE
        if self.again_at is not None:
            pause = (self.again_at - timezone.now()).total_seconds()
            return min(max(SOON, pause), MINUTE)
        if self.ahead is None or self.ahead < NEARLY_FIRST:
            return SOON
        if self.wait is not None:  # three times until then, and once a minute
            soonest = self.wait.low.total_seconds() / 3
            return min(max(LATER, soonest), MINUTE)
        return LATER if self.ahead < 30 else MUCH_LATER

    @property
    def held(self) -> timedelta:
        """The time for which place and wait stay as shown while nothing happens; none
        where the page asks more often only now, or less often anyway."""
        if self.wait is None or self._seconds < SOON:
            return timedelta(0)
        held = min(self.wait.low / HELD, waiting_pages.MOST_HELD)
        return held if held.total_seconds() > self._seconds else timedelta(0)

    @property
    def running_for(self) -> str:
        return "" if self.running is None else in_words(self.running)


def queue_progress(status: SubmissionStatus) -> QueueProgress | None:
    """The progress of a submission; None for what nobody scores: what came late, what
    left before gold changed."""
    evaluation = evaluation_of(status.submission)
    if evaluation is None:
        return None
    steps = _steps(status, evaluation)
    match evaluation.state:
        case EvaluationState.QUEUED:
            return _progress_in_queue(evaluation, steps)
        case EvaluationState.RUNNING:
            return _running(evaluation, steps)
        case EvaluationState.FAILED_SYSTEM | EvaluationState.CANCELLED:
            return QueueProgress(steps, refunded_at=_refund_time(evaluation))
    return QueueProgress(steps)


def _steps(status: SubmissionStatus, evaluation: Evaluation) -> list[PastStep]:
    """Never what an event says itself: that is for operators."""
    events = _events(evaluation=evaluation.pk)
    steps = [PastStep(status.submission.received_at, _("Received"))]
    for event in events:
        last = event is events[-1] and event.new == status.state
        steps.append(PastStep(event.at, _words(event, status.title if last else "")))
    return steps


@statement(evaluation=BigAutoField())
def _events(evaluation: int) -> QuerySet[Event]:
    return Event.objects.filter(evaluation=evaluation)


def _words(event: Event, title: str) -> str:
    moves: Mapping[tuple[str, str], Any] = MOVES  # type: ignore[assignment]
    known = moves.get((event.old, event.new))
    if known is not None:
        return str(known)
    if event.new == EvaluationState.AWAITING:
        return _("Accepted; the organizers judge it")
    if event.new == EvaluationState.QUEUED:
        return _("Accepted and queued")
    if event.new == EvaluationState.RUNNING and event.attempt > 1:
        return _("A worker began, attempt %(number)d") % {"number": event.attempt}
    if event.new == EvaluationState.RUNNING:
        return _("A worker began to score it")
    return _("Finished: %(state)s") % {"state": title} if title else _("Finished")


def _progress_in_queue(
    evaluation: Evaluation, steps: Sequence[PastStep]
) -> QueueProgress:
    now = timezone.now()
    if evaluation.not_before > now:
        return QueueProgress(steps, again_at=evaluation.not_before)
    ahead = _ahead(evaluation)
    if ahead is None:
        return QueueProgress(steps)
    rows = _numbers_running(entry=evaluation.submission.participation_id)
    busy, of_team = rows[0] if rows else (0, 0)
    wait = _wait(evaluation, ahead, busy)
    phase = evaluation.submission.phase
    most = dispatch.most_of_team(phase.task.scorer_name, phase.hides_input)
    full = of_team >= most
    progress = QueueProgress(
        steps,
        ahead=ahead,
        wait=wait,
        team_busy=of_team if full else 0,
        age=now - evaluation.state_since,
    )
    if not progress.held:
        return progress
    return replace(progress, token=waiting_pages.token_of(evaluation, progress.held))


@statement(entry=BigAutoField())
def _numbers_running(entry: int) -> QuerySet:
    """How many are scored now, and how many of a team; nothing where none is."""
    mine = Count("pk", filter=Q(submission__participation=entry))
    running = Evaluation.objects.filter(state=EvaluationState.RUNNING).values("state")
    return running.annotate(all=Count("pk"), team=mine).values_list("all", "team")


def _ahead(evaluation: Evaluation) -> int | None:
    """How many of those waiting begin before this one; None for what is not in line.

    Far from the front the order of a few seconds ago will do: to find it takes the
    longer the more wait, and the more pages ask.
    """
    known, key = caches["at-hand"], f"line-{evaluation.heavy}"
    line: dict[int, int] = known.get(key, {})
    if line.get(evaluation.pk, 0) < NEARLY_FIRST:
        line = {pk: i for i, pk in enumerate(dispatch.line(evaluation.heavy))}
        known.set(key, line, settings.BOARD_SECONDS)
    return line.get(evaluation.pk)


def _wait(evaluation: Evaluation, ahead: int, busy: int) -> Span | None:
    """Until the result: those before it share the workers that are busy now.

    At worst it waits for one more of those that run, whose end nobody knows.
    """
    own = _usual(_task_of(evaluation))
    before = _usual() if ahead or busy else own
    if own is None or before is None:
        return None
    rounds = ahead / max(1, busy)
    low = before.low * int(rounds) + own.low
    worst = ceil(rounds) + min(busy, 1)
    return Span(low, before.high * worst + own.high + START)


def _task_of(evaluation: Evaluation) -> int:
    return int(evaluation.submission.phase.task_id)


def _usual(task: int | None = None) -> Span | None:
    """Durations of most evaluations, of one task or all; remembered for seconds, since
    every page that waits asks for it."""
    known = caches["at-hand"]
    key = f"usual-durations-{task}"
    span = known.get(key, ())
    if span == ():
        span = _span(_durations(task))
        known.set(key, span, settings.BOARD_SECONDS)
    return span


def _durations(task: int | None) -> list[timedelta]:
    """Durations of the evaluations scored last, from the start of their last run."""
    begun = Event.objects.filter(evaluation=OuterRef("pk"), new=EvaluationState.RUNNING)
    scored = Evaluation.objects.filter(state=EvaluationState.SCORED)
    if task is not None:
        scored = scored.filter(submission__phase__task=task)
    scored = scored.annotate(begun=Subquery(begun.order_by("-pk").values("at")[:1]))
    rows = scored.order_by("-pk").values_list("begun", "finished_at")[:LOOKED_AT]
    return sorted(end - start for start, end in rows if start and end)


def _span(durations: Sequence[timedelta]) -> Span | None:
    if len(durations) < LEAST:
        return None
    last = len(durations) - 1
    return Span(durations[int(FAST * last)], durations[ceil(SLOW * last)])


def _running(evaluation: Evaluation, steps: Sequence[PastStep]) -> QueueProgress:
    running = max(timezone.now() - evaluation.state_since, timedelta(0))
    usual = _usual(_task_of(evaluation))
    share = None
    if usual is not None:
        share = min(95, int(100 * running / max(usual.high, timedelta(seconds=1))))
    return QueueProgress(steps, usual=usual, running=running, share=share, age=running)


def _refund_time(evaluation: Evaluation) -> datetime | None:
    entries = QuotaEntry.objects.filter(submission=evaluation.submission_id)
    at: datetime | None = entries.aggregate(at=Max("refunded_at"))["at"]
    return at


def in_words(time: timedelta) -> str:
    """Roughly, in one unit: "8 s", "40 s", "3 min", "2 h"."""
    seconds = time.total_seconds()
    if seconds < 90:
        step = 1 if seconds < 10 else 5
        whole = max(1, step * round(seconds / step))
        return ngettext("%(n)d second", "%(n)d seconds", whole) % {"n": whole}
    if seconds < 90 * 60:
        whole = round(seconds / 60)
        return ngettext("%(n)d minute", "%(n)d minutes", whole) % {"n": whole}
    whole = round(seconds / 3600)
    return ngettext("%(n)d hour", "%(n)d hours", whole) % {"n": whole}
