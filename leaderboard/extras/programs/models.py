"""Runs of scoring programs; their table is one of the app `submissions`, where programs
began."""

from django.db import models
from django.db.models.functions import Now

from leaderboard.extension.models import Evaluation, TestSet


class ProgramRun(models.Model):
    """A run of the task's scoring program on one file, kept for organizers.

    `output` is what it said, cut in the middle, and may quote gold; `public_output` is
    what the team may see of it. `problems` say why there is no result of it. The last
    attempt's.
    """

    evaluation = models.ForeignKey(
        Evaluation, models.CASCADE, related_name="program_runs"
    )
    test_set = models.ForeignKey(TestSet, models.PROTECT, related_name="+")
    run = models.PositiveSmallIntegerField(default=1)
    # Not of a blob that this row keeps: the program is an option of the task.
    program_hash = models.CharField(max_length=64, blank=True)
    seconds = models.FloatField(default=0)
    output = models.TextField(blank=True)
    public_output = models.TextField(default="", db_default="", blank=True)
    problems = models.JSONField(default=list, blank=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        app_label = "submissions"
        constraints = (
            models.UniqueConstraint(
                fields=["evaluation", "test_set", "run"], name="run_once"
            ),
        )
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"program run of {self.evaluation}"
