"""The app of submissions."""

from django.apps import AppConfig


class Submissions(AppConfig):
    name = "leaderboard.submissions"

    def ready(self) -> None:
        from leaderboard.tasks.models import changes

        changes.watch("submissions", changes.SUBMISSIONS)
