"""Django's name for what operators run and look at."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """An app for its commands and checks; it has no models."""

    name = "leaderboard.operations"
    label = "operations"

    def ready(self) -> None:
        from leaderboard.operations import checks  # noqa: F401
