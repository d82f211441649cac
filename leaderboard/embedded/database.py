"""The database, looked at before anything is started on it."""

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from leaderboard.demo.presence import is_loaded


def is_current() -> bool:
    """True where every migration was applied; False also where `migrate` has to say
    why nobody can tell. To ask here takes hundredths of what a process would."""
    try:
        executor = MigrationExecutor(connection)
        return not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return False
    finally:
        connection.close()


def has_demo() -> bool:
    try:
        return is_loaded()
    finally:
        connection.close()
