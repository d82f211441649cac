"""Changing the tables of a site that has grown."""

from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.tasks.models import Task

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]
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


def test_tables_of_boards_and_questions_become_rows_and_tables_again(
    settings: Any,
) -> None:
    """Their order stays; what an older table does not say gets its usual value."""
    settings.MIGRATION_MODULES = {}
    before = [("tasks", "0015_message")]
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    for key in MigrationExecutor(connection).loader.graph.nodes:
        recorder.record_applied(*key)
    try:
        apps = migrated(before)
        boards = [
            {"name": "b", "title": "B", "measures": ["uas"], "headline": "uas"},
            {"name": "a", "title": "A", "headline": "las", "test_sets": ["north"]},
        ]
        questions = [
            {"name": "size", "title": "Size", "kind": "number", "required": True},
            {"name": "data", "title": "Data", "kind": "choice", "choices": ["x"]},
            {"name": "old", "title": "Old", "kind": "text", "hidden": True},
        ]
        apps.get_model("tasks", "Task").objects.create(
            slug="otters",
            title="Otters",
            scorer_name="attachment",
            headline="las",
            boards=boards,
            fact_sheet=questions,
        )
        migrated(newest())
        task = Task.objects.get()
        b, a = task.named_boards.all()
        assert b.values() == boards[0] | {"test_sets": []}
        assert a.values() == boards[1] | {"measures": []}
        size, data, old = task.questions.all()
        usual = {"choices": [], "required": False, "public": True, "hidden": False}
        assert size.values() == usual | questions[0]
        assert data.values() == usual | questions[1]
        assert old.values() == usual | questions[2]
        apps = migrated(before)
        again = apps.get_model("tasks", "Task").objects.get()
        assert [table["name"] for table in again.boards] == ["b", "a"]
        assert again.fact_sheet == [usual | table for table in questions]
    finally:
        migrated(newest())
        recorder.flush()


def newest() -> list[tuple[str, str]]:
    return MigrationExecutor(connection).loader.graph.leaf_nodes()


def migrated(targets: list[tuple[str, str]]) -> Any:
    """The models at that state, to which the database is brought."""
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps
