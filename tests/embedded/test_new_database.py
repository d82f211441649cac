"""The tables of a new site, which are made without its migrations."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.embedded import site
from tests.campaigns.site import on_database

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]

PARTS = re.compile(r"[(,] ?(?=\"|CONSTRAINT)|(?<=\))\)$|\)$")
NAME = re.compile(r"(?<=INDEX )\"\w+\"")


def test_a_new_site_gets_the_tables_at_which_all_migrations_arrive(
    tmp_path: Path, settings: Any
) -> None:
    settings.MIGRATION_MODULES = {"auditlog": None}
    with new_site(tmp_path / "migrated.sqlite3"):
        call_command("migrate", verbosity=0, skip_checks=True)
        migrated = tables(), applied(), permissions()
    with new_site(tmp_path / "new.sqlite3"):
        site.create_tables()
        made = tables(), applied(), permissions()
        assert site.is_current()
        site.create_tables()
        again = tables(), applied(), permissions()
        assert again == made, "what is there is left as it is"
    assert len(made[0]) > 50
    assert made == migrated


@contextmanager
def new_site(file: Path) -> Iterator[None]:
    """Content types are remembered, by keys that another database has not."""
    ContentType.objects.clear_cache()
    with on_database(f"sqlite:///{file}"):
        yield
    ContentType.objects.clear_cache()


def tables() -> Counter[tuple[str, ...]]:
    """Statements that make each table and index: columns and constraints in no order,
    and without names of indexes, which may tell of a table's former name."""
    query = "SELECT tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    with connection.cursor() as cursor:
        said = cursor.execute(query).fetchall()
    return Counter(
        (table, *sorted(PARTS.split(NAME.sub("", sql)))) for table, sql in said
    )


def applied() -> set[tuple[str, str]]:
    return set(MigrationRecorder(connection).applied_migrations())


def permissions() -> set[tuple[str, str]]:
    rows = Permission.objects.values_list("content_type__model", "codename")
    return set(rows)
