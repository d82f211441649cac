"""Records of operation: backups that were made, and incidents."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from leaderboard.tasks.models import Task


class BackupRun(models.Model):
    """One run of `manage.py backup`; `problem` is empty where the backup is whole."""

    at = models.DateTimeField(default=timezone.now)
    problem = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return self.problem or f"backup at {self.at}"


class IncidentKind(models.TextChoices):
    """Kinds of incident; all but the last are the operators' concern."""

    BACKUP = "backup", "The backup failed"
    WORKERS = "workers", "No process sends mail and keeps the site"
    BOARDS = "boards", "No process computes boards"
    LIGHT = "light", "Light work is not scored"
    HEAVY = "heavy", "Heavy work is not scored"
    FAILED = "failed_system", "Evaluations failed because of the site"
    PROGRAM = "program", "The scoring program fails"


class Incident(models.Model):
    """Something that is wrong from a moment until another, of which people are told.

    `seen_at` is when it was last found to be so, and `told_at` when mail about it was
    last ordered. With a task it is the concern of the task's organizers.
    """

    kind = models.CharField(max_length=20, choices=IncidentKind)
    task = models.ForeignKey(Task, models.CASCADE, null=True, related_name="+")
    details = models.CharField(max_length=300, blank=True)
    began_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)
    told_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["kind"],
                condition=Q(ended_at=None, task=None),
                name="one_open_incident",
            ),
            models.UniqueConstraint(
                fields=["kind", "task"],
                condition=Q(ended_at=None),
                name="one_open_incident_of_task",
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} since {self.began_at}"
