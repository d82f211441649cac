"""Django's name for the handbook."""

from django.apps import AppConfig


class HandbookConfig(AppConfig):
    """An app for its command; it has no models."""

    name = "leaderboard.handbook"
    label = "handbook"
