"""Dumps of a PostgreSQL database, by PostgreSQL's own programs."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection, transaction

from leaderboard.extras.backup.references import References, query_site, read_references

MEMBER = "database.dump"
# What was there while the restored one is looked at.
BEFORE = "plumbline_before_restore"
ENVIRONMENT = {
    "HOST": "PGHOST",
    "PORT": "PGPORT",
    "USER": "PGUSER",
    "PASSWORD": "PGPASSWORD",
    "NAME": "PGDATABASE",
}


class NoProgram(Exception):
    """PostgreSQL's client programs are missing, or refused."""


@contextmanager
def copy_of_database(to: Path) -> Iterator[References]:
    """Write a dump as of one moment to `to`; gives what the rows of it name.

    The program reads the very snapshot that we ask. Raises NoProgram.
    """
    program = _program("pg_dump")
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        snapshot = cursor.fetchone()[0]

        references = read_references(query_site)
        form = ["--format=custom", "--no-owner", "--no-privileges"]
        _run([program, *form, f"--snapshot={snapshot}", f"--file={to}"])
    yield references


@contextmanager
def replace_database(source: Path) -> Iterator[None]:
    """The dump is the site's database; what was there comes back after an error.

    It is set aside under another name, so nothing of it stays among the new tables.
    Raises NoProgram.
    """
    program = _program("pg_restore")
    _say(f"ALTER SCHEMA public RENAME TO {BEFORE}", "CREATE SCHEMA public")
    try:
        place = f"--dbname={connection.settings_dict['NAME']}"
        form = ["--no-owner", "--no-privileges", "--exit-on-error"]
        _run([program, *form, "--single-transaction", place, str(source)])
        yield
    except BaseException:
        _say("DROP SCHEMA public CASCADE", f"ALTER SCHEMA {BEFORE} RENAME TO public")
        raise
    _say(f"DROP SCHEMA {BEFORE} CASCADE")


def _say(*statements: str) -> None:
    connection.close()
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    connection.close()  # what a connection remembers of tables is of the others


def _program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise NoProgram(
            f"{name} is not on the path: install PostgreSQL's client programs, of the "
            "server's version or newer"
        )
    return path


def _run(argv: list[str]) -> None:
    ended = subprocess.run(argv, env=_environment(), capture_output=True, text=True)
    if ended.returncode:
        raise NoProgram(ended.stderr.strip() or f"{argv[0]} failed")


def _environment() -> dict[str, str]:
    """Access by environment: a command line can be read by everybody."""
    given = connection.settings_dict
    access = {name: str(given[key]) for key, name in ENVIRONMENT.items() if given[key]}
    ssl = {
        f"PG{key.upper()}": str(value)
        for key, value in given.get("OPTIONS", {}).items()
        if key.startswith("ssl")
    }
    return {**os.environ, **access, **ssl}
