"""Django's name for the servers started on this machine."""

from django.apps import AppConfig


class EmbeddedConfig(AppConfig):
    """An app for its `serve` command; it has no models."""

    name = "leaderboard.embedded"
    label = "embedded"
