"""The app of accounts and teams."""

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in

from leaderboard.web import languages


class Teams(AppConfig):
    name = "leaderboard.teams"

    def ready(self) -> None:
        user_logged_in.connect(languages.remember_at_login)
