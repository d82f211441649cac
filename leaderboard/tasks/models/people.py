"""Who organizes a task and who takes part in it."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from leaderboard.tasks.models.task import Task
from leaderboard.teams.models import Team, User


class Organizer(models.Model):
    """A person with a role in a task; what each role may do is in `policy`."""

    class Role(models.TextChoices):
        OWNER = "owner", "Owner: everything, roles included"
        EDITOR = "editor", "Editor: the task, its gold and its participants"
        REVIEWER = "reviewer", "Reviewer: sees scores and submissions, changes nothing"

    task = models.ForeignKey(Task, models.CASCADE)
    user = models.ForeignKey(User, models.CASCADE)
    role = models.CharField(max_length=10, choices=Role, default=Role.OWNER)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["task", "user"], name="one_organizer"),
        )

    def __str__(self) -> str:
        return f"{self.user} organizes {self.task}"


class Participation(models.Model):
    """A team that takes part in a task. `reason` is given with every status but active.

    Of merged teams one stays; the other's entry points to it and keeps its history.
    """

    class Status(models.TextChoices):
        ACTIVE = "active", "Takes part"
        PENDING = "pending", "Waits for admission"
        REFUSED = "refused", "Not admitted"
        WITHDRAWN = "withdrawn", "Withdrew"
        DISQUALIFIED = "disqualified", "Disqualified"
        MERGED = "merged", "Merged into another team"

    task = models.ForeignKey(Task, models.CASCADE, related_name="participations")
    team = models.ForeignKey(Team, models.CASCADE, related_name="participations")
    joined_at = models.DateTimeField(default=timezone.now)
    status = models.CharField(max_length=20, choices=Status, default=Status.ACTIVE)
    reason = models.CharField(max_length=500, blank=True)
    status_at = models.DateTimeField(default=timezone.now)
    status_by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    merged_into = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="merged"
    )
    anonymous = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["task", "team"], name="one_participation"),
        )

    def __str__(self) -> str:
        return f"{self.team} in {self.task}"


class Participant(models.Model):
    """A person in a task: at most one team each, which the database enforces."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="participants")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="participants"
    )
    participation = models.ForeignKey(
        Participation, models.CASCADE, related_name="participants"
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["task", "user"], name="one_team_per_task"),
        )

    def __str__(self) -> str:
        return f"{self.user} in {self.participation}"
