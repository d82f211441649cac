"""Copies of an SQLite database, made and put back while others use it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connection

from leaderboard.extras.backup.references import References, read_references

MEMBER = "database.sqlite3"


@contextmanager
def copy_of_database(to: Path) -> Iterator[References]:
    """Write a copy of the database, as of one moment, to `to`; what it names."""
    _copy(_site(), to)
    with closing(sqlite3.connect(to)) as copy:
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, not three
        references = read_references(lambda query: copy.execute(query))
    yield references


@contextmanager
def replace_database(source: Path) -> Iterator[None]:
    """The copy is the site's database; what was there comes back after an error.

    Through the database's own locks: a process that still runs sees the one or the
    other, never a mixture.
    """
    connection.close()
    before = source.with_suffix(".before")
    _copy(_site(), before)
    _copy(source, _site())
    try:
        yield
    except BaseException:
        connection.close()
        _copy(before, _site())
        raise


def _site() -> Path:
    return Path(connection.settings_dict["NAME"])


def _copy(source: Path, to: Path) -> None:
    old, new = (sqlite3.connect(path, timeout=20) for path in (source, to))
    with closing(old), closing(new):
        old.backup(new)
