"""Django's name for the servers started on this machine."""

from django.apps import AppConfig

from leaderboard import garbage


class EmbeddedConfig(AppConfig):
    """An app for its `serve` command; it has no models, and is the last to be ready."""

    name = "leaderboard.embedded"
    label = "embedded"

    def ready(self) -> None:
        garbage.begin()
