"""Tables of judgements, one for each submitted file.

The table is one of the app `submissions`, where judgements began.
"""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from leaderboard.extension import blobs
from leaderboard.extension.models import (
    AuditedQuerySet,
    Evaluation,
    Submission,
    TestSet,
    User,
)
from scoring.source import Source

# What the history calls a row, and what was scored with it.
pgettext_lazy("history", "judgement table")
pgettext_lazy("history", "evaluations")
# As `changes.SUBMISSIONS`.
WATCHED = {
    "JudgementTable": (
        "submission.phase.task_id",
        dict.fromkeys(
            ("judged", "agreement", "about", "upload_hash"),
            "follows from the file, whose hash is history",
        ),
    ),
}


class JudgementTable(models.Model):
    """Values of units that organizers counted elsewhere, for one submitted file.

    The file holds those of this submission alone; `upload_hash` is that of the whole
    upload. `judged` says how many units have a value, by column, `agreement` how much
    judges agree. One that was replaced is kept: an earlier score came of it.
    """

    submission = models.ForeignKey(
        Submission, models.CASCADE, related_name="judgement_tables"
    )
    test_set = models.ForeignKey(TestSet, models.PROTECT, related_name="+")
    run = models.PositiveSmallIntegerField(default=1)
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    upload_hash = models.CharField(max_length=64)
    judged = models.JSONField(default=dict)
    agreement = models.JSONField(default=dict)
    # Of whom the values are, and what they were told, where this site knows.
    about = models.JSONField(default=dict, db_default={})
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    replaced_at = models.DateTimeField(null=True, blank=True)
    # Those that are scored with it.
    evaluations = models.ManyToManyField(
        Evaluation, related_name="tables", db_table="submissions_evaluation_tables"
    )

    objects = AuditedQuerySet.as_manager()

    class Meta:
        app_label = "submissions"
        constraints = (
            models.UniqueConstraint(
                fields=["submission", "test_set", "run"],
                condition=Q(replaced_at=None),
                name="one_table_counts",
            ),
        )
        indexes = (models.Index(fields=["sha256"], name="judgement_bytes"),)
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"judgements of {self.submission}"

    def source(self) -> Source:
        return Source.of_bytes(self.name, blobs.read(self.sha256))
