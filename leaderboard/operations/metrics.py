"""Numbers for Prometheus, read from the database when they are asked for.

Web processes and workers come and go, and each would count for itself; the rows know.
Nothing here names a team, a task or a score. Whole tables are counted by an index
only, and details are those of the last hour, from so many of the newest rows at most.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from math import ceil
from typing import Any

from django.db.models import Count, Max, Min
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
)

from leaderboard.celery import BOARDS, QUEUES, UPKEEP
from leaderboard.mail import outbox
from leaderboard.mail.models import Mail
from leaderboard.operations.models import BackupRun
from leaderboard.operations.readiness import Readiness, readiness
from leaderboard.submissions.dispatch import queue_of
from leaderboard.submissions.models import (
    FINAL,
    Evaluation,
    EvaluationState,
    Event,
    QuotaEntry,
    Submission,
)

WINDOW = timedelta(hours=1)
NEWEST = 10_000  # rows looked at for it
QUANTILES = (0.5, 0.9, 1.0)
# Codes of problems are words of ours; anything else could be anything.
LONGEST_CODE = 40


class FromDatabase:
    """Collector that Prometheus asks."""

    def collect(self) -> Iterator[Metric]:
        ready = readiness()
        yield from _condition(ready)
        if ready.database:
            yield from _totals()
            yield from _last_hour(Hour(timezone.now() - WINDOW))


def exposition() -> bytes:
    """Every number in Prometheus's text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(FromDatabase())
    return generate_latest(registry)


def _gauge(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"plumbline_{name}", meaning, value=value)


def _condition(ready: Readiness) -> Iterator[Metric]:
    yield _gauge("database_up", "1 if the database answers", ready.database)
    yield _gauge("broker_up", "1 if the broker answers", ready.broker)
    yield _gauge("files_up", "1 if files can be stored and read", ready.files)
    yield _gauge("free_bytes", "room left for uploads", ready.free_bytes)
    ahead = "this machine's clock ahead of the database's, negative behind"
    yield _gauge("clock_ahead_seconds", ahead, ready.clock_seconds)
    yield _gauge("running", "evaluations that are scored now", ready.running)
    yield _gauge("waiting", "evaluations that wait", ready.queued)
    oldest = ready.oldest_seconds or 0
    yield _gauge("queue_age_seconds", "how long the oldest has waited", oldest)
    if ready.sweep_seconds is not None:
        yield _gauge("sweep_age_seconds", "since the last sweep", ready.sweep_seconds)
    lanes = _labelled_gauge(
        "lane_age_seconds", "since somebody was at this work", "lane"
    )
    for lane, age in ((BOARDS, ready.boards_seconds), (UPKEEP, ready.upkeep_seconds)):
        if age is not None:
            lanes.add_metric([lane], age)
    yield lanes


def _totals() -> Iterator[Metric]:
    accepted = CounterMetricFamily("plumbline_accepted", "submissions stored")
    accepted.add_metric([], Submission.objects.count())
    yield accepted
    open_rows = Evaluation.objects.filter(
        state__in=(EvaluationState.QUEUED, EvaluationState.RUNNING)
    )
    background = open_rows.filter(background=True).count()
    awaiting = Evaluation.objects.filter(state=EvaluationState.AWAITING).count()
    yield _gauge("awaiting_judgements", "evaluations that organizers count", awaiting)
    yield from _by_queue(open_rows)
    yield _gauge("background", "evaluations that give way to uploads", background)
    yield from _mail()
    yield from _backups()


def _mail() -> Iterator[Metric]:
    """Mail that is still to be sent, and how long the oldest waits for the server.

    What the server refuses for the sake of one address does not count as waiting for
    the server: it would raise an alarm about a typing error.
    """
    rows = outbox.unsent(Mail.objects.all()).order_by()
    first = Min("at", filter=outbox.HELD_UP)
    by_kind = rows.values("kind").annotate(number=Count("pk"), first=first)
    counts = {row["kind"]: row["number"] for row in by_kind}
    metric = _labelled_gauge("mail_waiting", "mail not sent yet, by kind", "kind")
    for kind in sorted({*outbox.KINDS, *counts}):
        metric.add_metric([kind], counts.get(kind, 0))
    yield metric
    now = timezone.now()
    since = min((row["first"] for row in by_kind if row["first"]), default=now)
    age = max(0.0, (now - since).total_seconds())
    yield _gauge("mail_age_seconds", "how long the oldest mail has waited", age)


def _backups() -> Iterator[Metric]:
    """Metrics of the last backup; none where our command never made one."""
    runs = BackupRun.objects.all()
    if last := runs.first():
        yield _gauge("backup_failed", "1 if the last backup failed", bool(last.problem))
    if good := runs.filter(problem="").first():
        age = (timezone.now() - good.at).total_seconds()
        yield _gauge("backup_age_seconds", "since the last good backup", age)


def _by_queue(open_rows: Any) -> Iterator[Metric]:
    """Metrics of what waits, what runs and the longest wait, of light and of heavy
    evaluations."""
    rows = open_rows.values_list("heavy", "state")
    waiting = {
        (queue_of(heavy), state): (number, since)
        for heavy, state, number, since in rows.annotate(
            Count("pk"), Min("state_since")
        )
    }
    for name, state in (
        ("waiting", EvaluationState.QUEUED),
        ("running", EvaluationState.RUNNING),
    ):
        metric = _labelled_gauge(
            f"queue_{name}", f"evaluations {name}, by queue", "queue"
        )
        for queue in QUEUES:
            metric.add_metric([queue], waiting.get((queue, state), (0, None))[0])
        yield metric
    oldest = _labelled_gauge(
        "queue_oldest_seconds", "the longest wait, by queue", "queue"
    )
    for queue in QUEUES:
        since = waiting.get((queue, EvaluationState.QUEUED), (0, None))[1]
        waited = (timezone.now() - since).total_seconds() if since else 0.0
        oldest.add_metric([queue], max(0.0, waited))
    yield oldest


def _labelled_gauge(name: str, meaning: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"plumbline_{name}", meaning, labels=labels)


def newest(model: Any) -> Any:
    """The rows made last, found by their keys, however many there are."""
    last = model.objects.aggregate(last=Max("pk"))["last"] or 0
    return model.objects.filter(pk__gt=last - NEWEST)


class Hour:
    """Events since a moment, each table asked once."""

    def __init__(self, since: datetime) -> None:
        self.since = since

    @cached_property
    def events(self) -> Sequence[tuple[int, str, str, str, datetime]]:
        rows = newest(Event).filter(at__gte=self.since).order_by("pk")
        return list(rows.values_list("evaluation_id", "old", "new", "why", "at"))

    @property
    def ends_by_state(self) -> Counter[tuple[str, str]]:
        """How many evaluations ended, by state and code of the reason."""
        return Counter(
            (new, code_of(why)) for _, _, new, why, _ in self.events if new in FINAL
        )

    @property
    def attempts_lost(self) -> int:
        """Attempts that failed by our fault and were tried again."""
        move = (EvaluationState.RUNNING, EvaluationState.QUEUED)
        return sum((old, new) == move for _, old, new, _, _ in self.events)

    @property
    def seconds(self) -> dict[str, list[float]]:
        """How long scoring took, shortest first, by scorer."""
        began: dict[int, datetime] = {}
        took: dict[int, float] = {}
        for evaluation, _, new, _, at in self.events:
            if new == EvaluationState.RUNNING:
                began[evaluation] = at
            elif new == EvaluationState.SCORED and evaluation in began:
                took[evaluation] = (at - began[evaluation]).total_seconds()
        by_scorer: dict[str, list[float]] = defaultdict(list)
        for evaluation, scorer in _scorers(took):
            by_scorer[scorer].append(took[evaluation])
        return {scorer: sorted(times) for scorer, times in sorted(by_scorer.items())}

    @property
    def refunds(self) -> int:
        given_back = newest(QuotaEntry).filter(refunded_at__gte=self.since)
        return int(given_back.values("submission").distinct().count())


def _scorers(evaluations: Iterable[int]) -> Iterator[tuple[int, str]]:
    keys = list(evaluations)
    for start in range(0, len(keys), 500):  # SQLite takes no list of thousands
        some = Evaluation.objects.filter(pk__in=keys[start : start + 500])
        yield from some.values_list("pk", "submission__phase__task__scorer_name")


def code_of(why: str) -> str:
    if why == Evaluation.PROGRAM_GAVE_NOTHING:
        return Evaluation.PROGRAM_FAILED
    plain = why.replace("-", "").replace("_", "")
    is_code = plain.isascii() and plain.isalnum() and len(why) <= LONGEST_CODE
    return why if is_code else "other" if why else ""


def _last_hour(hour: Hour) -> Iterator[Metric]:
    ended = _labelled_gauge(
        "ended_last_hour", "evaluations that ended", "state", "code"
    )
    for labels, number in sorted(hour.ends_by_state.items()):
        ended.add_metric(labels, number)
    yield ended
    lost = "attempts that failed by our fault and were tried again"
    yield _gauge("attempts_lost_last_hour", lost, hour.attempts_lost)
    yield _gauge("refunds_last_hour", "submissions not charged after all", hour.refunds)
    meaning = "what scoring took in the last hour"
    took = _labelled_gauge("scoring_seconds", meaning, "scorer", "quantile")
    for scorer, times in hour.seconds.items():
        for quantile in QUANTILES:
            value = times[ceil(quantile * len(times)) - 1]
            took.add_metric([scorer, f"{quantile:g}"], value)
    yield took
