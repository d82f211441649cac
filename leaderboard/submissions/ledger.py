"""Quota: counters that a conditional UPDATE raises, and what each charge was for."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from leaderboard.tasks.models import Participation, Phase


class QuotaCounter(models.Model):
    """How much a team, or one person, used of one allowance in a phase on a day.

    Days are those of the phase's time zone; the total is counted on one fixed day. A
    person has a counter beside the team's, so that changing teams gains nothing.
    """

    class Kind(models.TextChoices):
        SCORED = "scored", "attempts that are scored"
        REFUSED = "refused", "uploads refused for their format"
        LATE = "late", "uploads kept after the end"
        TOTAL = "total", "attempts over the whole phase"

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.SCORED)
    participation = models.ForeignKey(
        Participation, models.CASCADE, null=True, blank=True, related_name="+"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
    )
    day = models.DateField()
    used = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["phase", "kind", "participation", "day"],
                condition=Q(person__isnull=True),
                name="one_counter_of_a_team",
            ),
            models.UniqueConstraint(
                fields=["phase", "kind", "person", "day"],
                condition=Q(participation__isnull=True),
                name="one_counter_of_a_person",
            ),
            models.CheckConstraint(
                condition=Q(participation__isnull=True) ^ Q(person__isnull=True),
                name="counter_of_team_or_person",
            ),
        )

    def __str__(self) -> str:
        return f"{self.used} {self.kind} on {self.day}"


class QuotaEntry(models.Model):
    """What one submission was charged; given back at most once."""

    submission = models.ForeignKey(
        "submissions.Submission", models.CASCADE, related_name="quota_entries"
    )
    counter = models.ForeignKey(QuotaCounter, models.CASCADE, related_name="entries")
    refunded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["submission", "counter"], name="charged_once"
            ),
        )

    def __str__(self) -> str:
        return f"charge of {self.submission}"
