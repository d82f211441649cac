"""Reports on the overlap of test sets with texts; the texts are not kept."""

from django.db import models
from django.utils import timezone

from leaderboard.tasks.models import Task, TestSet
from leaderboard.teams.models import User


class OverlapReport(models.Model):
    """A report on one test set and the texts that somebody named.

    `gold_sha256` is the gold that was compared, `texts` the name of the file, "" where
    the gold was compared with itself alone. `counted` are numbers, `lines` the units of
    which there is something to tell, `canaries` places of the task's canary string.
    """

    KEPT = 20  # of a task

    task = models.ForeignKey(Task, models.CASCADE, related_name="overlap_reports")
    test_set = models.ForeignKey(TestSet, models.CASCADE, related_name="+")
    gold_sha256 = models.CharField(max_length=64)
    texts = models.CharField(max_length=200, blank=True)
    texts_sha256 = models.CharField(max_length=64, blank=True)
    order = models.PositiveSmallIntegerField()
    counted = models.JSONField(default=dict)
    lines = models.JSONField(default=list)
    canaries = models.JSONField(default=list)
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"overlap of {self.test_set}"
