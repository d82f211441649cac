"""Changing the tables of a site that has grown."""

import pytest
from django.core.management import call_command
from django.db import connection

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
