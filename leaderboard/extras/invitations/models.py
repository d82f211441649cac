"""People who are invited to take part in a task, by their addresses."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from leaderboard.extension.models import Task


class EntryInvitation(models.Model):
    """Asks whoever reads mail at an address to take part in a task with a team."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="+")
    email = models.EmailField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    # When the last mail was ordered
    mailed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("email", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=["task", "email"], name="invited_once_to_a_task"
            ),
        )

    def __str__(self) -> str:
        return self.email
