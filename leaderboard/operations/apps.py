"""Django's name for what operators run and look at."""

from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import pre_migrate


class OperationsConfig(AppConfig):
    """An app for its commands and checks; it has no models."""

    name = "leaderboard.operations"
    label = "operations"

    def ready(self) -> None:
        from leaderboard.operations import checks  # noqa: F401

        pre_migrate.connect(_take_time)


def _take_time(using: str, **_signal: Any) -> None:
    """The limit on queries is for pages and jobs: changing a large table takes longer.

    It is lifted for as long as the connection lasts, so also for what a restore looks
    at when its tables are those of this version.
    """
    connection = connections[using]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")
