"""The database, looked at before anything is started on it."""

from contextlib import suppress
from typing import Any

from django.apps import apps
from django.core.management.sql import emit_post_migrate_signal
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from leaderboard.demo.presence import is_loaded


def is_current() -> bool:
    """Whether every migration was applied; False also where `migrate` has to say why
    nobody can tell. To ask here takes hundredths of what a process would."""
    try:
        executor = MigrationExecutor(connection)
        return not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return False
    finally:
        connection.close()


def create_tables() -> None:
    """Give a new SQLite file the newest tables, made from the models.

    All migrations one by one would arrive at the same tables, seconds later: they are
    noted as applied, in the same transaction, so that a start which is stopped leaves
    all or nothing.
    """
    with suppress(DatabaseError):  # `migrate` says why
        if connection.vendor == "sqlite" and not connection.introspection.table_names():
            make_tables()
    connection.close()


def make_tables() -> None:
    """The newest tables, in a database that has none."""
    executor = MigrationExecutor(connection)
    applied: Any = executor.recorder.Migration
    labels = executor.loader.migrated_apps
    migrated = [m for m in apps.get_models() if m._meta.app_label in labels]
    with connection.schema_editor() as editor:
        for model in (applied, *migrated):
            if model._meta.can_migrate(connection):
                editor.create_model(model)
        every = [applied(app=a, name=n) for a, n in executor.loader.graph.nodes]
        applied.objects.using(connection.alias).bulk_create(every)
        # Permissions and content types, which are made after migrations.
        emit_post_migrate_signal(0, False, connection.alias)


def has_demo() -> bool:
    try:
        return is_loaded()
    finally:
        connection.close()
