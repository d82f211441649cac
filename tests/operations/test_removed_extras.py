"""A site of 0.3.0 that used what left since is upgraded, and keeps everything else."""

import io
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from celery.beat import PersistentScheduler
from django.db import connection, migrations, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from leaderboard.boards import snapshots
from leaderboard.extras.archive.contents import ArchiveOptions, write
from leaderboard.extras.signatures import record
from leaderboard.mail.models import Mail
from leaderboard.submissions.models import Event
from leaderboard.tasks.canary import canary_of
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from plumbline.commands.verify import wrong
from tests.exports.conftest import two_sent
from tests.extras.archive.test_archive import unpacked
from tests.operations.test_migrating import migrated, newest

pytestmark = [
    pytest.mark.django_db(transaction=True),
    # Migrations of SQLite run by day in test_migrating.
    pytest.mark.databases("sql", by_day="postgresql"),
    pytest.mark.all_extras,
    pytest.mark.thorough,
]
BEFORE = [("api", "0008_due_by_database_clock"), ("tasks", "0039_oldest_board_version")]
REMOVED_TABLES = {
    "api_announcement",
    "api_watch",
    "api_watchedphase",
    "api_webhook",
    "api_webhookdelivery",
    "contamination_overlapreport",
}
COMPUTED = ("submissions_storedboard", "submissions_boardrow")  # anew at each look
PAGES = (
    "/tasks/otters/test/board.json?entries=all",
    "/tasks/otters/test/board.csv",
    "/tasks/otters/record/entries.jsonl",
    "/tasks/otters/record/head.json",
)
# As 0.3.0 made the table, in an app of its own that is no more.
OVERLAP_REPORT = migrations.CreateModel(
    "OverlapReport",
    [
        ("id", models.BigAutoField(primary_key=True)),
        ("gold_sha256", models.CharField(max_length=64)),
        ("lines", models.JSONField(default=list)),
        (
            "task",
            models.ForeignKey("tasks.Task", models.CASCADE, related_name="+"),
        ),
        (
            "test_set",
            models.ForeignKey("tasks.TestSet", models.CASCADE, related_name="+"),
        ),
    ],
)


def test_scores_boards_records_and_archives_outlive_what_left(
    settings: Any, phase: Phase, entry: Participation, ada: User
) -> None:
    settings.MIGRATION_MODULES = {}
    two_sent(phase, entry)
    phase.refresh_from_db()
    now = timezone.now()
    boards = snapshots.as_values(snapshots.public_boards(phase, now))
    snapshots.take(phase, boards, snapshots.Wanted(by=ada, at=now, title="Early"))
    Phase.objects.filter(pk=phase.pk).update(closes=now - timedelta(minutes=1))
    task = Task.objects.get(pk=phase.task_id)
    record.update_due()
    Mail.objects.create(kind="webhook", about=99, user=ada, sent_at=now)
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    for key in MigrationExecutor(connection).loader.graph.nodes:
        recorder.record_applied(*key)
    recorder.record_applied("contamination", "0001_initial")
    try:
        canary, shown, archive = canary_of(task), pages(), packed(task)
        assert list(wrong(unpacked(archive))) == []
        kept = rows()
        in_use(migrated(BEFORE), task, ada)
        assert set(connection.introspection.table_names()) >= REMOVED_TABLES
        migrated(newest())
        left = set(connection.introspection.table_names())
        assert not REMOVED_TABLES & left
        assert rows() == kept
        task = Task.objects.get()
        assert (canary_of(task), pages(), packed(task)) == (canary, shown, archive)
    finally:
        migrated(newest())
        recorder.flush()


def in_use(old: Any, task: Task, user: User) -> None:
    """Rows in each table that left, and mail about a webhook that waits."""
    phase = old.get_model("tasks", "Phase").objects.get(task_id=task.pk)
    event = Event.objects.filter(new="scored").first()
    assert event is not None
    hook = old.get_model("api", "Webhook").objects.create(
        user_id=user.pk, task_id=task.pk, url="https://a.example/", events=["x"]
    )
    hook.deliveries.create(event="submission.scored", about="1", body="{}")
    old.get_model("api", "Announcement").objects.create(event_id=event.pk)
    old.get_model("api", "WatchedPhase").objects.create(
        phase_id=phase.pk, state="closed"
    )
    old.get_model("api", "Watch").objects.create(boards_at=timezone.now())
    old.get_model("mail", "Mail").objects.create(
        kind="webhook", about=hook.pk, detail="failing", user_id=user.pk
    )
    state = MigrationExecutor(connection).loader.project_state(BEFORE)
    after = state.clone()
    OVERLAP_REPORT.state_forwards("contamination", after)
    with connection.schema_editor() as editor:
        OVERLAP_REPORT.database_forwards("contamination", editor, state, after)
    after.apps.get_model("contamination", "OverlapReport").objects.create(
        task_id=task.pk,
        test_set_id=task.test_sets.get(name="north").pk,
        gold_sha256="0" * 64,
        lines=[{"unit": "s1", "found": "books.txt:12"}],
    )


def rows() -> Mapping[str, list[str]]:
    """Every row of the site's tables as text, but of boards, which are computed."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            if not table.startswith(("django_", *COMPUTED)):
                cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
                columns = [column[0] for column in cursor.description]
                found[table] = sorted(
                    str(
                        sorted(zip(columns, row, strict=True), key=lambda cell: cell[0])
                    )
                    for row in cursor.fetchall()
                )
    return found


def pages() -> list[bytes]:
    answers = [Client().get(page) for page in PAGES]
    assert [answer.status_code for answer in answers] == [200] * len(PAGES)
    return [b"".join(answer) for answer in answers]


def packed(task: Task) -> bytes:
    file = io.BytesIO()
    write(task, ArchiveOptions(submissions=True), file)
    return file.getvalue()


def test_a_schedule_that_was_stored_forgets_jobs_of_extras_that_left(
    tmp_path: Path,
) -> None:
    def scheduler() -> PersistentScheduler:
        path = str(tmp_path / "schedule")
        return PersistentScheduler(app=current_app, schedule_filename=path, lazy=False)

    old = scheduler()
    old.add(name="webhooks", task="api.webhooks", schedule=timedelta(seconds=10))
    assert "webhooks" in old.schedule
    old.close()
    new = scheduler()
    try:
        assert "webhooks" not in new.schedule and "sweep" in new.schedule
    finally:
        new.close()
