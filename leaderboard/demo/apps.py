"""Django's name for the demonstration."""

from django.apps import AppConfig


class DemoConfig(AppConfig):
    """An app for its command and its check; it has no models."""

    name = "leaderboard.demo"
    label = "demo"

    def ready(self) -> None:
        from leaderboard.demo import checks  # noqa: F401
