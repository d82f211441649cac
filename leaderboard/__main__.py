"""python -m leaderboard: the commands of the site, wherever it is installed."""

import os
import sys


def main() -> None:
    """Run the command that was typed after `manage.py` or `plumbline-site`."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError, connection

    from scoring.sandbox.kernel import close_memory
    from scoring.version import RELEASE, VERSION

    # Nobody else under this account reads or writes what this process has in memory.
    close_memory()
    if sys.argv[1:] == ["--version"]:
        print(f"plumbline-site {RELEASE}, engine {VERSION}")
        return
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as reason:
        sys.exit(f"Nothing was done: {reason}")
    except DatabaseError:
        if connection.introspection.table_names():
            raise
        sys.exit(
            "Nothing was done: this site has no tables yet. 'migrate' makes them, and "
            "so does 'serve' on one machine."
        )


if __name__ == "__main__":
    # The name that messages and the history of a task give these commands.
    sys.argv[0] = "manage.py"
    main()
