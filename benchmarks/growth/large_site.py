"""A large site on PostgreSQL: one task that is really scored, and copies of its rows.

Rows are copied by INSERT ... SELECT, since to send and score a hundred thousand
submissions would take a day. Copies have their own keys, times and files; their scores
are those of the hundred systems that were counted.
"""

import random
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import yaml
from django.contrib.auth.hashers import make_password
from django.core.files.base import ContentFile
from django.db import connection, models, transaction
from django.db.models import Max
from django.utils import timezone

from benchmarks.site.filling import joined, made
from leaderboard.mail.models import Mail
from leaderboard.submissions import evaluation
from leaderboard.submissions.models import (
    REPORTED,
    ComputedBoards,
    Evaluation,
    EvaluationState,
    Event,
    QuotaCounter,
    QuotaEntry,
    StoredCounts,
    Submission,
    SubmittedFile,
)
from leaderboard.tasks import blobs
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import (
    GoldFile,
    GoldRevision,
    Participation,
    Phase,
    Task,
    TestSet,
)
from leaderboard.teams.models import Team, User
from scoring import VERSION, Job
from scoring.engine import count_file
from scoring.source import Source

SLUG, SYSTEMS, SENTENCES = "large", 100, 60
BUSY = 5  # one task in so many has submissions
DAYS = 100  # over which submissions came
RELATIONS = ("det", "nsubj", "root", "obj")
WORDS = ("the", "otter", "carries", "stones")


@dataclass(frozen=True)
class Size:
    """The size of a site: the large task has `large` of the submissions."""

    tasks: int = 500
    submissions: int = 100_000
    large: int = 10_000
    teams: int = 300

    @property
    def busy(self) -> int:
        return max(1, self.tasks // BUSY)

    @property
    def copies(self) -> int:
        """The number of copies of the hundred systems in each busy task."""
        return max(1, (self.submissions - self.large) // (self.busy * SYSTEMS))


@dataclass(frozen=True)
class LargeSite:
    """The large task that pages are asked about, and people of all roles in it."""

    task: Task
    phase: Phase
    submission: Submission
    member: User
    organizer: User
    operator: User


def build(size: Size) -> LargeSite:
    """Fill an empty database with tables; the numbers of rows follow from the size."""
    random.seed(1)
    phase = _scored_task(size)
    _copy_rows(phase.task, size)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return of_database()


def make_boards_due() -> None:
    """Let the boards on which something stands be due, as after an upgrade."""
    _make_due(Phase.objects.all())


def make_board_due() -> None:
    """Let the board of one ordinary task be due, as after an upload."""
    others = Phase.objects.exclude(task__slug=SLUG)
    _make_due(others.filter(submissions__isnull=False).order_by("pk")[:1])


def _make_due(phases: models.QuerySet[Phase]) -> None:
    busy = Phase.objects.filter(pk__in=phases.values("pk"), submissions__isnull=False)
    Phase.objects.filter(pk__in=busy.values("pk")).touch_boards()
    ComputedBoards.objects.update(seconds=0.0)  # none rests


def of_database() -> LargeSite:
    """The site that `build` made."""
    phase = Phase.objects.select_related("task").get(task__slug=SLUG)
    submission = Submission.objects.filter(phase=phase).order_by("received_at").last()
    assert submission is not None
    member = submission.participation.team.members.get()
    organizer = User.objects.get(email="organizer@example.org")
    operator = User.objects.get(email="operator@example.org")
    return LargeSite(phase.task, phase, submission, member, organizer, operator)


@contextmanager
def stored_files(site: LargeSite) -> Iterator[None]:
    """The submissions of the large task have a file that is stored, for as long."""
    digest = blobs.keep(ContentFile(_gold()))
    sent = SubmittedFile.objects.filter(submission__phase=site.phase)
    with transaction.atomic():
        sent.update(sha256=digest)
        yield
        transaction.set_rollback(True)


def _scored_task(size: Size) -> Phase:
    gold = _gold()
    files = {
        "task.yaml": yaml.safe_dump(_manifest()).encode(),
        "description.md": b"# Large\n",
        "gold/main.conllu": gold,
    }
    password = make_password(None)
    organizer = User.objects.create(email="organizer@example.org", password=password)
    User.objects.create(
        email="operator@example.org",
        password=password,
        is_staff=True,
        is_superuser=True,
    )
    phase: Phase = create_task(Source(SLUG, files), organizer).phases.get()
    entries = list(joined(phase, size.teams))
    long_ago = timezone.now() - timedelta(days=DAYS)
    Participation.objects.update(joined_at=long_ago, status_at=long_ago)
    (test_set,) = phase.test_sets.all()
    source = Source.of_bytes("main.conllu", gold)
    task = phase.task
    answers = task.scorer.read_gold(source, task.parsed_options)
    job = Job(task.scorer, task.parsed_options, task.unit)
    right = count_file(job, answers, source)
    sender = {e.pk: e.team.members.get().pk for e in entries[:SYSTEMS]}
    now = timezone.now()
    counters = {
        entry.pk: QuotaCounter.objects.create(
            phase=phase, participation=entry, day=now.date(), used=1
        )
        for entry in entries[:SYSTEMS]
    }
    for number in range(SYSTEMS):
        entry = entries[number % len(entries)]
        sent = Submission.objects.create(
            phase=phase,
            participation=entry,
            sender_id=sender[entry.pk],
            key=uuid.uuid4().hex,
            system=f"system {number}",
            received_at=now - timedelta(days=DAYS * (1 + number) / (1 + SYSTEMS)),
        )
        QuotaEntry.objects.create(submission=sent, counter=counters[entry.pk])
        digest = f"{random.getrandbits(256):064x}"
        SubmittedFile.objects.create(
            submission=sent, test_set=test_set, name="x", sha256=digest, size=1000
        )
        counts = made(right, number)
        of_one = Evaluation.objects.create(
            submission=sent,
            gold_revision=phase.gold_revision,
            engine=VERSION,
            state=EvaluationState.SCORED,
            complete=True,
            finished_at=sent.received_at,
            results=evaluation.estimates_of(phase, [test_set], {test_set: counts}, {}),
        )
        StoredCounts.objects.create(
            evaluation=of_one, test_set=test_set, data=counts.save()
        )
        _told(of_one, sent.received_at)
    return phase


def _told(scored: Evaluation, at: datetime) -> None:
    """Events of a scoring, and the mail about its end."""
    moves = (("", "queued"), ("queued", "running"), ("running", "scored"))
    for old, new in moves:
        event = Event.objects.create(evaluation=scored, old=old, new=new, at=at)
        if new in REPORTED:
            Mail.objects.create(
                kind="result", about=event.pk, at=at, tried=1, sent_at=at
            )


def _gold() -> bytes:
    lines: list[str] = []
    for number in range(SENTENCES):
        lines.append(f"# sent_id = s{number}")
        heads = (2, 3, 0, 3) if number % 2 else (0, 1, 1, 3)
        for place, (word, head) in enumerate(zip(WORDS, heads, strict=True), 1):
            name = "root" if head == 0 else RELATIONS[place % 2]
            lines.append(f"{place}\t{word}\t_\t_\t_\t_\t{head}\t{name}\t_\t_")
        lines.append("")
    return "\n".join([*lines, ""]).encode()


def _manifest() -> dict[str, Any]:
    now = timezone.now().astimezone(UTC)
    return {
        "plumbline": 1,
        "draft": False,
        "slug": SLUG,
        "title": "A large task",
        "summary": "Short sentences, many systems.",
        "description": "description.md",
        "scorer": {"name": "attachment", "measures": ["las", "uas"], "headline": "las"},
        "bootstrap": {"resamples": 200, "seed": 7, "level": 0.95},
        "test_sets": [{"name": "main", "title": "Main", "gold": "gold/main.conllu"}],
        "phases": [
            {
                "name": "test",
                "title": "Test",
                "opens": (now - timedelta(days=DAYS + 1)).isoformat(),
                "closes": (now + timedelta(days=10)).isoformat(),
            }
        ],
    }


def _copy_rows(task: Task, size: Size) -> None:
    tasks = f"generate_series(1, {size.tasks - 1}) t"
    busy = f"generate_series(1, {size.busy}) t, generate_series(1, {size.copies}) c"
    more = f"generate_series(1, {size.large // SYSTEMS - 1}) c, (VALUES (0)) v(t)"
    step = {m: _step(m) for m in (Task, GoldRevision, TestSet, Phase, Participation)}

    def moved(model: type[models.Model], column: str) -> str:
        return f"{column} + t * {step[model]}"

    of_task = {"id": "", "task_id": moved(Task, "task_id")}
    # Most tasks are over: of those that are open one page can be full.
    past = f"CASE WHEN t > {size.busy} THEN interval '1 day' * (20 + t) ELSE '0' END"
    _copy(
        Task,
        tasks,
        {
            "id": moved(Task, "id"),
            "slug": "slug || '-' || t",
            "title": "title || ' ' || t",
        },
    )
    _copy(GoldRevision, tasks, of_task | {"id": moved(GoldRevision, "id")})
    _copy(TestSet, tasks, of_task | {"id": moved(TestSet, "id")})
    _copy(
        GoldFile,
        tasks,
        {
            "id": f"id + t * {_step(GoldFile)}",
            "revision_id": moved(GoldRevision, "revision_id"),
            "test_set_id": moved(TestSet, "test_set_id"),
        },
    )
    _copy(
        Phase,
        tasks,
        of_task
        | {
            "id": moved(Phase, "id"),
            "gold_revision_id": moved(GoldRevision, "gold_revision_id"),
            "opens": f"opens - {past}",
            "closes": f"closes - {past}",
        },
    )
    through = Phase.test_sets.through
    _copy(
        through,
        tasks,
        {
            "id": f"id + t * {_step(through)}",
            "phase_id": moved(Phase, "phase_id"),
            "testset_id": moved(TestSet, "testset_id"),
        },
    )
    _copy(
        Participation,
        f"generate_series(1, {size.busy}) t",
        of_task | {"id": moved(Participation, "id")},
    )
    first = Participation.objects.filter(task=task).order_by("pk").first()
    assert first is not None
    pick = f"{first.pk} + (abs(hashtext(id::text || c)) % {size.teams})"
    # The number of each copy among all of them, so that keys stay without gaps.
    number = f"(CASE WHEN t = 0 THEN c ELSE {size.large // SYSTEMS} + "
    number += f"(t - 1) * {size.copies} + c END)"
    uuid_of = "md5({} || '-' || t || '-' || c)::uuid"
    later = "- interval '1 day' * {} * (t + c * 7 + hashtext({}::text) % 97) / 1000.0"
    copied = {
        "id": uuid_of.format("id::text"),
        "phase_id": moved(Phase, "phase_id"),
        "key": "md5(key || t || c)",
        "system": "system || '.' || c",
        "participation_id": f"{pick} + t * {step[Participation]}",
        "received_at": f"received_at {later.format(1, 'id')}",
    }
    owned = {"submission_id": uuid_of.format("submission_id::text")}
    steps = {
        m: _step(m)
        for m in (
            SubmittedFile,
            Evaluation,
            StoredCounts,
            Event,
            Mail,
            QuotaCounter,
            QuotaEntry,
        )
    }

    def key(model: type[models.Model], column: str = "id") -> str:
        return f"{column} + {number} * {steps[model]}"

    scored = {"evaluation_id": key(Evaluation, "evaluation_id")}
    tested = {"test_set_id": moved(TestSet, "test_set_id")}
    for copies in (more, busy):
        _copy(Submission, copies, copied, _of_first(Submission))
        _copy(
            SubmittedFile,
            copies,
            owned
            | tested
            | {
                "id": key(SubmittedFile),
                "sha256": "md5(sha256 || t || c) || md5(c || sha256 || t)",
            },
            _of_first(SubmittedFile),
        )
        _copy(
            Evaluation,
            copies,
            owned
            | {
                "id": key(Evaluation),
                "gold_revision_id": moved(GoldRevision, "gold_revision_id"),
                "result_sha256": "md5(id::text || t || c) || md5(c || id::text || t)",
            },
            _of_first(Evaluation),
        )
        _copy(
            StoredCounts,
            copies,
            scored | tested | {"id": key(StoredCounts)},
            _of_first(StoredCounts),
        )
        _copy(
            Event,
            copies,
            scored
            | {
                "id": key(Event),
                "at": f"at {later.format(1, 'evaluation_id')}",
            },
            _of_first(Event),
        )
        _copy(
            Mail,
            copies,
            {"id": key(Mail), "about": key(Event, "about")},
            _of_first(Mail),
        )
        _copy(
            QuotaCounter,
            copies,
            {
                "id": key(QuotaCounter),
                "phase_id": moved(Phase, "phase_id"),
                "day": "day - c",
            },
            _of_first(QuotaCounter),
        )
        _copy(
            QuotaEntry,
            copies,
            owned
            | {
                "id": key(QuotaEntry),
                "counter_id": key(QuotaCounter, "counter_id"),
            },
            _of_first(QuotaEntry),
        )
    if size.submissions:
        _senders_follow_teams()


_firsts: dict[type[models.Model], str] = {}


def _of_first(model: type[models.Model]) -> str:
    """The rows of the task that was scored, and not those copied from it."""
    if model not in _firsts:
        keys = model._default_manager.values_list("pk", flat=True)
        listed = ", ".join(f"'{pk}'" for pk in keys)
        _firsts[model] = f"WHERE id IN ({listed})"
    return _firsts[model]


def _senders_follow_teams() -> None:
    names = {
        "sent": Submission._meta.db_table,
        "entry": Participation._meta.db_table,
        "member": Team.members.through._meta.db_table,
    }
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE {sent} s SET sender_id = m.user_id FROM {entry} e, {member} m "
            "WHERE e.id = s.participation_id AND m.team_id = e.team_id".format(**names)
        )


def _step(model: type[models.Model]) -> int:
    """The distance of keys of copies: all rows that there are fit in."""
    return int(model._default_manager.aggregate(last=Max("pk"))["last"] or 0) + 1


def _copy(
    model: type[models.Model],
    series: str,
    changes: Mapping[str, str],
    where: str = "",
) -> None:
    """Copy all rows, or those `where` says, as often as the series has rows."""
    table = model._meta.db_table
    columns = [field.column for field in model._meta.concrete_fields]
    values = [changes.get(name) or f'"{name}"' for name in columns]
    quoted = ", ".join(f'"{name}"' for name in columns)
    rows = f"(SELECT * FROM {table} {where}) kept, {series}"
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({quoted}) SELECT {', '.join(values)} FROM {rows}"
        )
        if model._meta.pk.get_internal_type() == "BigAutoField":
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) "
                f"FROM {table}"
            )
