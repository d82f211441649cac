"""The app of shared tasks."""

from django.apps import AppConfig


class Tasks(AppConfig):
    name = "leaderboard.tasks"

    def ready(self) -> None:
        from leaderboard.tasks.models import changes

        changes.watch("tasks", changes.TASKS)
