"""A site as an older version left it: its tables, with the rows of today."""

from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Tables = Mapping[str, Any]
quoted = connection.ops.quote_name


def set_back(*targets: tuple[str, str | None]) -> Any:
    """The models at that state, whose tables have taken the place of those of today.

    A column that both have keeps its values, another has its default. That is what a
    way back through the migrations would leave, which takes half a minute.
    """
    executor = MigrationExecutor(connection)
    for later, _ in executor.migration_plan(targets):
        executor.recorder.record_unapplied(later.app_label, later.name)
    loader = MigrationLoader(connection)
    known = [key for key in loader.applied_migrations if key in loader.graph.nodes]
    old = loader.project_state(known).apps
    today, before = (tables(state, loader.migrated_apps) for state in (apps, old))
    with connection.cursor() as cursor:
        filled = [table for table in today if _keep(table, cursor)]
        _replace(today, before)
        with transaction.atomic():
            both = [table for table in filled if table in before]
            for table in both:
                _put_back(today[table], before[table], cursor)
            rows = [before[table] for table in both]
            for sql in connection.ops.sequence_reset_sql(no_style(), rows):
                cursor.execute(sql)
        for table in filled:
            cursor.execute(f"DROP TABLE {quoted(f'kept_{table}')}")
    return old


def note_all_migrations() -> MigrationRecorder:
    """All count as applied: tables of tests are made of the models."""
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    for key in MigrationExecutor(connection).loader.graph.nodes:
        recorder.record_applied(*key)
    return recorder


def tables(state: Any, labels: set[str]) -> Tables:
    """Of these apps, each table and the model that is stored there, relations of many
    to many too."""
    # An old state does not say for which models this site has others.
    swapped = {m._meta.label for m in apps.get_models(include_swapped=True)}
    swapped -= {m._meta.label for m in apps.get_models()}
    return {
        model._meta.db_table: model
        for model in state.get_models(include_auto_created=True)
        if model._meta.app_label in labels
        and model._meta.label not in swapped
        and model._meta.can_migrate(connection)
    }


def _keep(table: str, cursor: Any) -> bool:
    """Copy the rows, if there are any."""
    name, copy = quoted(table), quoted(f"kept_{table}")
    cursor.execute(f"SELECT 1 FROM {name} LIMIT 1")
    if cursor.fetchone() is None:
        return False
    cursor.execute(f"CREATE TEMPORARY TABLE {copy} AS SELECT * FROM {name}")
    return True


def _replace(today: Tables, before: Tables) -> None:
    with connection.schema_editor() as editor:
        for table in today:
            editor.execute(editor.sql_delete_table % {"table": quoted(table)})
        for model in before.values():
            if not model._meta.auto_created:  # made with one of its two models
                editor.create_model(model)


def _put_back(today: Any, before: Any, cursor: Any) -> None:
    editor = connection.SchemaEditorClass(connection)
    known = {field.column for field in today._meta.local_concrete_fields}
    written = {
        field: field.column in known
        for field in before._meta.local_concrete_fields
        if field.column in known or field.db_default is models.NOT_PROVIDED
    }
    values = (quoted(f.column) if both else "%s" for f, both in written.items())
    table, names = before._meta.db_table, (quoted(f.column) for f in written)
    cursor.execute(
        f"INSERT INTO {quoted(table)} ({', '.join(names)})"
        f" SELECT {', '.join(values)} FROM {quoted(f'kept_{table}')}",
        [editor.effective_default(f) for f, both in written.items() if not both],
    )
