"""Incidents: what is wrong is found every minute, and people are told of it by mail.

Operators are told of backups, workers and evaluations that failed because of the site,
organizers of their scoring program. Each is told when an incident begins, once a day
while it lasts, and operators when it is over. What comes and goes stays one incident,
and a new one of the same kind is told of after a pause. Mail names numbers of
evaluations, but no team, no file and nothing of the gold.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, models, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from leaderboard.celery import BOARDS, HEAVY, LIGHT, UPKEEP
from leaderboard.mail import outbox
from leaderboard.mail.models import Mail
from leaderboard.operations.metrics import newest
from leaderboard.operations.models import (
    BackupRun,
    Incident,
    IncidentKind,
)
from leaderboard.submissions.dispatch import queue_of
from leaderboard.submissions.models import Evaluation, EvaluationState, Event, LaneRun
from leaderboard.tasks import policy
from leaderboard.tasks.models import Organizer, Task
from leaderboard.teams.creators import operators

# Each lane is at work every two seconds, boards at one of them for as long as it takes.
LEFT_ALONE = timedelta(minutes=5)
LONGEST_WAIT = timedelta(minutes=10)  # where nothing of that queue is being scored
LATE_BACKUP = timedelta(hours=36)
REGULAR = 3  # backups; before them nobody expects the next
RECENT = timedelta(hours=1)  # an evaluation that failed is of now
RECENT_PROGRAM = timedelta(hours=6)
# What was not seen for so long is over.
QUIET = timedelta(minutes=15)
# After mail of one kind, before there is another about a new incident of that kind
PAUSE = timedelta(hours=1)
REMINDER = timedelta(days=1)
# A program that fails once fails for others: they are told of together.
GATHERING = timedelta(minutes=5)
MOST_NAMED = 5  # evaluations
INCIDENT = "incident"  # the kind of mail


class IncidentStage(models.TextChoices):
    """The stage of an incident that a mail is about."""

    BEGAN = "began"
    LASTS = "lasts"
    ENDED = "ended"


@dataclass(frozen=True)
class Trouble:
    """Something that is wrong now."""

    kind: IncidentKind
    details: str = ""
    task: int | None = None


def look(by_worker: bool = True) -> None:
    """Find what is wrong, note it, and send the mail that is due.

    `by_worker` is False where the scheduler looks because no worker does.
    """
    find(by_worker)
    outbox.send(INCIDENT)


def find(by_worker: bool = True) -> None:
    """Find what is wrong, and note it."""
    now = timezone.now()
    note([*troubles(now, by_worker)], now)


def look_without_workers() -> None:
    """Look, if the process that should do so seems to be gone."""
    if _is_abandoned(UPKEEP, timezone.now()):
        look(by_worker=False)


def troubles(now: datetime, by_worker: bool = True) -> Iterator[Trouble]:
    yield from _backups(now)
    if not by_worker:
        yield Trouble(IncidentKind.WORKERS)
    if _is_abandoned(BOARDS, now):
        yield Trouble(IncidentKind.BOARDS)
    yield from _queues(now)
    yield from _failed_evaluations(now)
    yield from _programs(now)


def _backups(now: datetime) -> Iterator[Trouble]:
    last = BackupRun.objects.first()
    if last is None:
        return
    if last.problem:
        yield Trouble(IncidentKind.BACKUP, last.problem)
    elif now - last.at > LATE_BACKUP and BackupRun.objects.count() >= REGULAR:
        yield Trouble(IncidentKind.BACKUP, f"none since {moment(last.at)}")


def _is_abandoned(lane: str, now: datetime) -> bool:
    """Whether no process has worked in that lane for long."""
    return LaneRun.objects.filter(lane=lane, at__lt=now - LEFT_ALONE).exists()


def _queues(now: datetime) -> Iterator[Trouble]:
    """Trouble with queues in which something has waited for long and nothing runs."""
    running = set(
        Evaluation.objects.filter(state=EvaluationState.RUNNING).values_list(
            "heavy", flat=True
        )
    )
    late = Evaluation.objects.ready().filter(state_since__lt=now - LONGEST_WAIT)
    kinds = {LIGHT: IncidentKind.LIGHT, HEAVY: IncidentKind.HEAVY}
    for heavy in set(late.values_list("heavy", flat=True)) - running:
        number = late.filter(heavy=heavy).count()
        yield Trouble(kinds[queue_of(heavy)], f"{number} waiting")


def failure_events(since: datetime) -> QuerySet[Event]:
    """Events of evaluations that failed since then, those of scoring programs too."""
    rows: QuerySet[Event] = newest(Event)
    return rows.filter(new=EvaluationState.FAILED_SYSTEM, at__gte=since)


def _failed_evaluations(now: datetime) -> Iterator[Trouble]:
    ours = failure_events(now - RECENT).exclude(why=Evaluation.PROGRAM_GAVE_NOTHING)
    numbers = sorted(set(ours.values_list("evaluation_id", flat=True)))
    if numbers:
        named = ", ".join(map(str, numbers[-MOST_NAMED:]))
        yield Trouble(IncidentKind.FAILED, f"{len(numbers)} in an hour: {named}")


def _programs(now: datetime) -> Iterator[Trouble]:
    failed = failure_events(now - RECENT_PROGRAM).filter(
        why=Evaluation.PROGRAM_GAVE_NOTHING
    )
    of_task = "evaluation__submission__phase__task"
    for task in failed.order_by().values_list(of_task, flat=True).distinct():
        yield Trouble(IncidentKind.PROGRAM, task=task)


def note(current: Sequence[Trouble], now: datetime) -> None:
    """Begin incidents that are new, end those that are over, order mail about both."""
    by_subject = {(trouble.kind.value, trouble.task): trouble for trouble in current}
    for incident in Incident.objects.filter(ended_at=None).select_related("task"):
        trouble = by_subject.pop((incident.kind, incident.task_id), None)
        if trouble is not None:
            _extend(incident, trouble, now)
        elif incident.seen_at < now - QUIET:
            _end(incident, now)
    for trouble in by_subject.values():
        _begin(trouble, now)


def _begin(trouble: Trouble, now: datetime) -> None:
    same_kind = Incident.objects.filter(kind=trouble.kind, task=trouble.task)
    last_mail = same_kind.aggregate(at=Max("told_at"))["at"]
    waits = GATHERING if trouble.task else timedelta(0)
    first = max(now + waits, last_mail + PAUSE) if last_mail else now + waits
    try:
        with transaction.atomic():
            incident = Incident.objects.create(
                kind=trouble.kind,
                task_id=trouble.task,
                details=trouble.details[:300],
                began_at=now,
                seen_at=now,
                told_at=first,
            )
            _order(incident, IncidentStage.BEGAN, first)
    except IntegrityError:  # another process found it at the same moment
        return


def _extend(incident: Incident, trouble: Trouble, now: datetime) -> None:
    same = Incident.objects.filter(pk=incident.pk, ended_at=None)
    same.update(seen_at=now, details=trouble.details[:300])
    with transaction.atomic():
        due = same.filter(told_at=incident.told_at, told_at__lt=now - REMINDER)
        if due.update(told_at=now):
            _order(incident, IncidentStage.LASTS, now)


def _end(incident: Incident, now: datetime) -> None:
    with transaction.atomic():
        same = Incident.objects.filter(pk=incident.pk, ended_at=None)
        # Organizers see for themselves that a program of theirs works again.
        if same.update(ended_at=now) and incident.task is None:
            _order(incident, IncidentStage.ENDED, now)


def _order(incident: Incident, stage: IncidentStage, not_before: datetime) -> None:
    about = {"kind": INCIDENT, "about": incident.pk, "detail": stage}
    outbox.order(
        *(
            Mail(**about, address=address, not_before=not_before)
            for address in addresses(incident.task)
        )
    )


def addresses(task: Task | None) -> list[str]:
    """Addresses of the organizers who may change the task, or of the operators."""
    if task is None:
        return operators()
    roles = [
        role for role, powers in policy.POWERS.items() if policy.Power.EDIT in powers
    ]
    organizers = Organizer.objects.filter(
        task=task, role__in=roles, user__is_active=True
    )
    return list(organizers.values_list("user__email", flat=True))


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
