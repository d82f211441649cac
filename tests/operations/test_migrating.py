"""Changing the tables of a site that has grown."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import FieldDoesNotExist, ImproperlyConfigured
from django.core.management import call_command
from django.db import OperationalError, connection, migrations, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from leaderboard import startup
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.mail import outbox
from leaderboard.mail.models import Mail
from leaderboard.operations import deployment_checks
from leaderboard.submissions.models import Evaluation, Submission, SubmittedFile
from leaderboard.tasks.models import Notice, Participation, Phase, Task
from tests.leaderboard.small import both, one_wrong, scored
from tests.operations.old_sites import note_all_migrations, set_back

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases("sql")]
FOREVER = "0"


def test_a_migration_may_take_longer_than_what_a_page_asks() -> None:
    connection.close()
    assert longest() == {"sqlite": FOREVER, "postgresql": "30s"}[connection.vendor]
    call_command("migrate", verbosity=0)
    assert longest() == FOREVER
    connection.close()


def longest() -> str:
    """How long the database works on one query of this connection."""
    if connection.vendor == "sqlite":
        return FOREVER
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout')")
        return str(cursor.fetchone()[0])


# Columns have no values that the database puts in.
WITHOUT_DEFAULTS = [("submissions", "0012_judgements")]
BOARDS_AS_JSON = [("tasks", "0015_message")]
BOARDS_AS_ROWS = [("tasks", "0017_without_tables_of_boards_and_questions")]
# Mail waits in five tables, and phases may round scores.
OLD = [
    ("api", "0006_database_defaults"),
    ("operations", "0001_incidents"),
    ("submissions", "0018_evaluations_of_tables"),
    ("tasks", "0034_lasting_differences"),
]
ROUNDED = {
    "grid": (5.0, "scores and intervals were rounded to a grid"),
    "ladder": (None, "only where it was clearly better than its last one"),
}
Check = Callable[[], None]


def test_an_old_site_becomes_one_of_today(
    settings: Any, phase: Phase, entry: Participation
) -> None:
    """One way through the migrations, which takes seconds, for all that changed its
    form: each part leaves rows of old and checks what they have become."""
    settings.MIGRATION_MODULES = {}
    sent = [scored(phase, entry, both({"north": one_wrong()})) for _ in range(4)]
    Mail.objects.all().delete()
    exact = Phase.objects.get(pk=phase.pk)
    later = [
        Phase(**_values(exact) | {"id": None, "name": name, "title": name.title()})
        for name in ROUNDED
    ]
    for one in later:
        one.save()
    recorder = note_all_migrations()
    try:
        checks = [_defaults_of_the_database(), _boards_and_questions()]
        old = migrated(OLD)
        checks.append(_mail_in_five_tables(old.get_model, phase.task, entry))
        checks.append(_rounded_phases(old.get_model, sent[0]))
        migrated(newest())
        for check in checks:
            check()
    finally:
        migrated(newest())
        recorder.flush()


def _values(row: models.Model) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.fields}


def _defaults_of_the_database() -> Check:
    """Migrating puts them into tables that are there."""

    def check() -> None:
        assert default_of("submissions_submission", "runs") == "1"

    check()
    set_back(*WITHOUT_DEFAULTS, *BOARDS_AS_JSON)
    assert default_of("submissions_submission", "runs") is None
    return check


def _boards_and_questions() -> Check:
    """Tables in JSON become rows, and are tables again on the way back. Their order
    stays; what an older table does not say gets its usual value."""
    old = MigrationLoader(connection).project_state(BOARDS_AS_JSON).apps
    boards = [
        {"name": "b", "title": "B", "measures": ["uas"], "headline": "uas"},
        {"name": "a", "title": "A", "headline": "las", "test_sets": ["north"]},
    ]
    questions = [
        {"name": "size", "title": "Size", "kind": "number", "required": True},
        {"name": "data", "title": "Data", "kind": "choice", "choices": ["x"]},
        {"name": "old", "title": "Old", "kind": "text", "hidden": True},
    ]
    usual = {"choices": [], "required": False, "public": True, "hidden": False}
    task = old.get_model("tasks", "Task").objects.create(
        slug="boards",
        title="Boards",
        scorer_name="attachment",
        headline="las",
        boards=boards,
        fact_sheet=questions,
    )
    migrated(BOARDS_AS_ROWS)
    again = migrated(BOARDS_AS_JSON).get_model("tasks", "Task").objects.get(pk=task.pk)
    assert [table["name"] for table in again.boards] == ["b", "a"]
    assert again.fact_sheet == [usual | table for table in questions]

    def check() -> None:
        now = Task.objects.get(pk=task.pk)
        b, a = now.named_boards.all()
        assert b.values() == boards[0] | {"test_sets": []}
        assert a.values() == boards[1] | {"measures": []}
        rows = [question.values() for question in now.questions.all()]
        assert rows == [usual | table | {"unit": ""} for table in questions]

    return check


def _mail_in_five_tables(old: Any, task: Task, entry: Participation) -> Check:
    """What waits is sent from the one table of today; what was sent or given up before
    is not sent again."""
    now = timezone.now()
    (ben,) = entry.team.members.all()
    waits, sent = {"tried": 2, "error": "TimeoutError: x"}, {"sent_at": now}
    ends = old("submissions", "Event").objects.filter(new="scored").order_by("pk")
    results = old("submissions", "ResultMail").objects
    # Of the third nobody has ordered mail yet; the fourth is old.
    results.create(event=ends[0], **waits)
    results.create(event=ends[1], **sent)
    ends.filter(pk=ends[3].pk).update(at=now - timedelta(days=4))
    messages, deliveries = old("tasks", "Message"), old("tasks", "Delivery").objects
    for progress in (waits, sent, {"tried": 6}):
        message = messages.objects.create(task_id=task.pk, subject="x", text="y")
        deliveries.create(message=message, user_id=ben.pk, **progress)
    requests = old("teams", "CreationRequest").objects
    over = {"answer": "granted", "answered_at": now}
    asked = requests.create(user_id=ben.pk, about="x", **over)
    new = requests.create(user_id=ben.pk, about="y")
    asked_mail = old("tasks", "CreationMail").objects
    asked_mail.create(request=asked, answer=False, **sent)
    asked_mail.create(request=asked, answer=True, **waits)
    incident = old("operations", "Incident").objects.create(kind="backup")
    incidents = old("operations", "IncidentMail").objects
    address = {"incident": incident, "address": "night@example.org"}
    incidents.create(stage="began", **address, **sent)
    incidents.create(stage="lasts", **address, **waits)
    hooks = old("api", "Webhook").objects
    hook = hooks.create(user_id=ben.pk, url="https://a.example/", paused_at=now)
    old("api", "WebhookMessage").objects.create(webhook=hook, why="gone", **waits)
    events = list(ends.values_list("pk", flat=True))

    def check() -> None:
        left = outbox.unsent(Mail.objects.all())
        assert set(left.values_list("kind", "about", "detail", "user", "tried")) == {
            ("result", events[0], "", ben.pk, 2),
            ("result", events[2], "", ben.pk, 0),
            ("message", message.pk - 2, "", ben.pk, 2),
            ("creation answer", asked.pk, "", ben.pk, 2),
            ("creation", new.pk, "", None, 0),
            ("incident", incident.pk, "lasts", None, 2),
        }
        others = Mail.objects.exclude(pk__in=left)
        assert Counter(others.values_list("kind", flat=True)) == {
            "message": 2,
            "creation": 1,
            "incident": 1,
        }

    return check


def _rounded_phases(old: Any, sent: Submission) -> Check:
    """A phase that rounded scores becomes exact, and its log says so. Nothing else of
    it changes, and nothing of a phase that was exact."""
    phases = old("tasks", "Phase").objects
    before = {row["id"]: row for row in phases.values()}
    assert {row["publication"] for row in before.values()} == {"exact"}
    for name, (step, _told) in ROUNDED.items():
        phases.filter(name=name).update(publication=name, step=step)
    results = sent.evaluations.get().results

    def check() -> None:
        for row in Phase.objects.values():
            known = before[row["id"]]
            rounded = row["name"] in ROUNDED
            assert row["board_version"] == known["board_version"] + rounded
            assert row["oldest_board_version"] == rounded * row["board_version"]
            same = row.keys() & known.keys() - {"board_version"}
            assert {name: row[name] for name in same} == {
                name: known[name] for name in same
            }
        told = dict(Notice.objects.values_list("phase__name", "text"))
        assert told.keys() == ROUNDED.keys()
        assert set(Notice.objects.values_list("kind", flat=True)) == {"rules"}
        for name, (_step, sentence) in ROUNDED.items():
            assert told[name].startswith(
                f"{name.title()}: from now on scores are exact"
            )
            assert sentence in told[name]
        assert sent.evaluations.get().results == results
        first, *_rest = board(BoardQuery(Phase.objects.get(pk=sent.phase_id))).rows
        assert first.by_measure["las"].exact["value"] == 0.9375

    return check


def newest() -> list[tuple[str, str]]:
    return MigrationExecutor(connection).loader.graph.leaf_nodes()


def migrated(targets: list[tuple[str, str]]) -> Any:
    """The models at that state, to which the database is brought.

    They are made when somebody asks for one, which takes as long as the way there.
    """
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return SimpleLazyObject(lambda: executor.loader.project_state(targets).apps)


# The newest migrations of a version whose processes could not go on while a newer one
# changed the tables. Columns that came later have values that the database puts in.
OLDEST = {"api": 2, "operations": 0, "submissions": 6, "tasks": 8, "teams": 6}


@pytest.fixture
def later_columns(settings: Any) -> list[models.Field]:
    """Columns of older tables that came later, as they are now."""
    settings.MIGRATION_MODULES = {}  # which the tests have switched off
    return list(_added(MigrationLoader(None)))


def _added(loader: MigrationLoader) -> Iterator[models.Field]:
    for (app, name), migration in loader.disk_migrations.items():
        if app not in OLDEST or int(name[:4]) <= OLDEST[app]:
            continue
        new = {
            operation.name_lower
            for operation in migration.operations
            if isinstance(operation, migrations.CreateModel)
        }
        for operation in migration.operations:
            if not isinstance(operation, migrations.AddField):
                continue
            if operation.model_name_lower not in new:
                with suppress(LookupError, FieldDoesNotExist):  # renamed or removed
                    model = apps.get_model(app, operation.model_name)
                    field = model._meta.get_field(operation.name)
                    if field.concrete:  # no relation that others name so now
                        yield field


def test_the_database_knows_a_value_for_each_column_that_came_later(
    later_columns: list[models.Field],
) -> None:
    """So an older process, which does not know the column, can store its rows."""
    assert Submission._meta.get_field("runs") in later_columns
    without = [
        str(field)
        for field in later_columns
        if not field.null and field.db_default is models.NOT_PROVIDED
    ]
    assert without == [], "give these a db_default, beside their default"


def test_rows_of_an_older_process_are_stored_in_newer_tables(
    phase: Phase, entry: Participation, later_columns: list[models.Field]
) -> None:
    sent = scored(phase, entry, both())
    rows = {
        type(row): row.pk
        for row in (phase.task, phase, phase.test_sets.get(name="north"), entry, sent)
    }
    rows[SubmittedFile] = sent.files.first().pk
    rows[Evaluation] = sent.evaluations.get().pk
    later: dict[Any, set[str]] = {model: set() for model in rows}
    for field in later_columns:
        if field.model in rows:
            later[field.model].add(field.column)
    assert all(later.values())
    for model, pk in rows.items():
        before = model.objects.filter(pk=pk).values().get()
        stored_by_older_process(model, pk, later[model])
        after = model.objects.filter(pk=pk).values().get()
        usual = {field.column: field for field in model._meta.concrete_fields}
        for column in set(before) - later[model]:
            assert after[column] == before[column]
        for column in later[model]:
            field = usual[column]
            assert after[column] == (None if field.null else field.get_default())


def stored_by_older_process(model: Any, pk: object, later: set[str]) -> None:
    """Store a row again by an INSERT that names none of the later columns."""
    table, quoted = model._meta.db_table, connection.ops.quote_name
    columns = [field.column for field in model._meta.concrete_fields]
    names = ", ".join(quoted(name) for name in columns if name not in later)
    key = model._meta.pk.get_db_prep_value(pk, connection)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS kept")
        cursor.execute(
            f"CREATE TEMPORARY TABLE kept AS SELECT {names} FROM {table} WHERE id = %s",
            [key],
        )
        cursor.execute(f"DELETE FROM {table} WHERE id = %s", [key])
        cursor.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM kept")


def default_of(table: str, column: str) -> str | None:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            ask = f"SELECT dflt_value FROM pragma_table_info('{table}') WHERE name=%s"
        else:
            ask = (
                "SELECT column_default FROM information_schema.columns "
                f"WHERE table_name = '{table}' AND column_name = %s"
            )
        cursor.execute(ask, [column])
        (text,) = cursor.fetchone()
        return text


def test_code_that_is_older_than_the_tables_does_not_start() -> None:
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    recorder.record_applied("tasks", "0001_initial")
    recorder.record_applied("account", "9999_of_a_package")
    try:
        assert startup.newer_tables() == ""
        for number in range(7):
            recorder.record_applied("tasks", f"999{number}_of_tomorrow")
        with pytest.raises(ImproperlyConfigured, match="restore the backup") as refusal:
            startup.require_safe()
        text = str(refusal.value)
        assert "tasks.9990_of_tomorrow, " in text
        assert "tasks.9996_of_tomorrow" not in text, "a few are enough to see it"
        (error,) = deployment_checks.database(None)
        assert (error.id, error.msg) == ("plumbline.E005", text)
        for command in ("work", "serve"):
            with pytest.raises(ImproperlyConfigured, match="newer version"):
                call_command(command)
    finally:
        recorder.flush()


def test_a_database_that_is_away_keeps_nobody_from_starting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(*_: object) -> None:
        raise OperationalError("no route to host")

    monkeypatch.setattr(MigrationRecorder, "applied_migrations", away)
    assert startup.newer_tables() == ""
