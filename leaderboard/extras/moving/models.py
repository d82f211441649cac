"""The report on an imported bundle; its table is one of the app `tasks`."""

from django.db import models
from django.utils import timezone

from leaderboard.extension.models import Task


class ImportReport(models.Model):
    """The report on the bundle of another site that a task was made of.

    `remarks` are its rows; `report.py` has their words. It goes when the organizers are
    done with it.
    """

    task = models.OneToOneField(Task, models.CASCADE, related_name="import_report")
    remarks = models.JSONField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        app_label = "tasks"

    def __str__(self) -> str:
        return f"report on {self.task}"
