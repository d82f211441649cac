"""python -m leaderboard: the commands of the site, wherever it is installed."""

import os
import sys


def main() -> None:
    """Run the command that was typed after `manage.py` or `plumbline-site`."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from scoring.sandbox.kernel import close_memory
    from scoring.version import RELEASE, VERSION

    # Nobody else under this account reads or writes what this process has in memory.
    close_memory()
    if sys.argv[1:] == ["--version"]:
        print(f"plumbline-site {RELEASE}, engine {VERSION}")
        return
    if "" in sys.argv:
        sys.exit("Nothing was done: an argument is empty, perhaps a variable that is.")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as reason:
        sys.exit(f"Nothing was done: {reason}")
    except Exception as error:
        if "--traceback" in sys.argv or not (why := _in_words(error)):
            raise
        sys.exit(why)


def _in_words(error: Exception) -> str:
    """A sentence where not the program is to blame: for a full disk, a database that is
    away, empty or of another version, a file that cannot be read or written. Else an
    empty one."""
    from django.apps import apps
    from django.db import DatabaseError

    if not apps.ready:
        return ""
    from leaderboard.operations.error_pages import DETAIL, status_of

    if isinstance(error, DatabaseError) and (why := _tables()):
        return f"Nothing was done: {why}"
    words = " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror:
        words = ": ".join(map(str, filter(None, (error.filename, error.strerror))))
    if status := status_of(error):
        return f"Not finished: {DETAIL[status]} ({words})."
    return f"Not finished: {words}." if isinstance(error, OSError) else ""


def _tables() -> str:
    """A sentence on what is wrong with the tables, if the database answers."""
    from django.db import DatabaseError, connection
    from django.db.migrations.executor import MigrationExecutor

    try:
        if not connection.introspection.table_names():
            return (
                "this site has no tables yet. 'migrate' makes them, and so does "
                "'serve' on one machine."
            )
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return ""
    return "the tables are those of an older version: run 'migrate'." * bool(waiting)


if __name__ == "__main__":
    # The name that messages and the history of a task give these commands.
    sys.argv[0] = "manage.py"
    main()
