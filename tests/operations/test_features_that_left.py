"""A site of version 0.3.0 that used what has left since: it upgrades, and its scores,
boards, records and archives stay as they were."""

import io
import zipfile
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from celery.beat import PersistentScheduler
from django.db import connection, migrations, models
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.utils import timezone

from leaderboard.boards import snapshots
from leaderboard.extras.archive.contents import ArchiveOptions, write
from leaderboard.extras.oversight.team_merger import merge
from leaderboard.extras.signatures import keys, record
from leaderboard.mail.models import Mail
from leaderboard.submissions.models import Event, Submission
from leaderboard.tasks.canary import canary_of
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from plumbline.commands.verify import wrong
from tests.exports.conftest import two_sent
from tests.extras.archive.test_archive import unpacked
from tests.operations.old_sites import note_all_migrations, set_back
from tests.operations.test_migrating import migrated, newest
from tests.organize.crowd import entered

pytestmark = [
    pytest.mark.django_db(transaction=True),
    # Migrations of SQLite run by day in test_migrating.
    pytest.mark.databases("sql", by_day="postgresql"),
    pytest.mark.all_extras,
    pytest.mark.thorough,
]
BEFORE = [
    ("api", "0008_due_by_database_clock"),
    ("criteria", "0002_series"),
    ("signatures", "0002_receipts_of_other_sites"),
    ("tasks", "0039_oldest_board_version"),
]
REMOVED_TABLES = {
    "api_announcement",
    "api_watch",
    "api_watchedphase",
    "api_webhook",
    "api_webhookdelivery",
    "contamination_overlapreport",
    "criteria_series",
    "signatures_foreignreceipt",
    "signatures_knownkey",
    "signatures_knownsite",
    "tasks_merger",
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


@pytest.fixture
def ended(phase: Phase, entry: Participation, ada: User) -> Phase:
    """A phase that is over, with two systems on its board and in a snapshot."""
    keys.ensure()
    two_sent(phase, entry)
    phase.refresh_from_db()
    now = timezone.now()
    boards = snapshots.as_values(snapshots.public_boards(phase, now))
    snapshots.take(phase, boards, snapshots.Wanted(by=ada, at=now, title="Early"))
    phase.closes = now - timedelta(minutes=1)
    phase.save()
    return phase


def test_what_left_goes_and_nothing_else_of_a_site_changes(
    settings: Any, ended: Phase, ada: User, ben: User, cy: User
) -> None:
    """One way through the migrations for all that left, as it takes seconds."""
    settings.MIGRATION_MODULES = {}
    past = entered(ended.task, "Cys", cy)
    bens = Participation.objects.get(team__name="Bens")
    dans = Participation.objects.get(team__name="Dans")
    merge(bens, past, ada, "one laboratory")
    about = {"name": "both", "title": "Both", "measures": ["las", "uas"]}
    ended.task.combinations.create(**about)
    record.update_due()
    Mail.objects.create(kind="webhook", about=99, user=ada, sent_at=timezone.now())
    recorder = note_all_migrations()
    recorder.record_applied("contamination", "0001_initial")
    try:
        before, kept = stored(ben), rows()
        old = set_back(*BEFORE)
        webhooks_and_reports(old, ended.task, ada)
        series_and_foreign_receipts(old.get_model, ended.task, ben)
        requests = old.get_model("tasks", "Merger").objects
        about = {"task_id": ended.task_id, "stays_id": bens.pk}
        requests.create(leaves_id=past.pk, done_at=timezone.now(), **about)
        requests.create(leaves_id=dans.pk, leaves_agreed_id=ada.pk, **about)
        assert tables() >= REMOVED_TABLES
        migrated(newest())
        assert not tables() & REMOVED_TABLES
        assert rows() == kept
        assert stored(ben) == before
    finally:
        migrated(newest())
        recorder.flush()
    past.refresh_from_db()
    assert (past.merged_into, past.reason) == (bens, "one laboratory")
    client = Client()
    client.force_login(cy)
    assert f'href="/teams/{past.team_id}/"' in client.get("/tasks/otters/team/").text
    dans.refresh_from_db()
    assert dans.status == Participation.Status.ACTIVE


def webhooks_and_reports(old: Any, task: Task, user: User) -> None:
    """Rows of extras that left, and mail about a webhook that waits."""
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


def series_and_foreign_receipts(model: Any, task: Task, user: User) -> None:
    about = {"name": "months", "title": "Months", "phases": ["test"]}
    model("criteria", "Series").objects.create(task_id=task.pk, **about)
    about = {"name": "There", "address": "https://there.example"}
    site = model("signatures", "KnownSite").objects.create(**about)
    key = model("signatures", "KnownKey").objects.create(site=site, public="ab" * 32)
    sent = Submission.objects.earliest("received_at")
    model("signatures", "ForeignReceipt").objects.create(
        submission_id=sent.pk,
        evaluation_id=sent.evaluations.get().pk,
        site=site,
        key=key,
        sha256="cd" * 32,
        by_id=user.pk,
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


def stored(user: User) -> tuple[Any, ...]:
    """Boards, record, archive and receipts, which verify, and what signs."""
    task = Task.objects.get()
    answers = [Client().get(page) for page in PAGES]
    assert [answer.status_code for answer in answers] == [200] * len(PAGES)
    pages = [b"".join(answer) for answer in answers]
    file = io.BytesIO()
    write(task, ArchiveOptions(submissions=True, gold=True), file)
    receipts = signed_receipts(Submission.objects.earliest("received_at"), user)
    assert list(wrong(unpacked(file.getvalue()))) == list(wrong(receipts)) == []
    about = canary_of(task), record.text_of(task), keys.sign(b"")["key"]
    return about, pages, file.getvalue(), receipts


def signed_receipts(submission: Submission, user: User) -> dict[str, bytes]:
    """The files of the zip that the site gives out."""
    client = Client()
    client.force_login(user)
    answer = client.get(f"/submissions/{submission.pk}/receipts.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def tables() -> set[str]:
    return set(connection.introspection.table_names())


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
