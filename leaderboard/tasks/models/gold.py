"""Test sets, and the revisions of their gold."""

from django.db import models
from django.utils import timezone

from leaderboard.tasks import blobs
from leaderboard.tasks.models.task import Task
from leaderboard.teams.models import User
from scoring.source import Source


class TestSet(models.Model):
    """One gold with its published blind file."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="test_sets")
    name = models.SlugField(max_length=60)
    title = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField(default=0)
    blind_name = models.CharField(max_length=200)
    blind_sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=["task", "name"], name="test_set_name"),
        )

    def __str__(self) -> str:
        return self.title

    def blind(self) -> Source:
        return Source.of_bytes(self.blind_name, blobs.read(self.blind_sha256))


class GoldRevision(models.Model):
    """One version of the gold of all test sets of a task.

    It is a draft until `live_at`; `note` is for organizers, `public_note` for all.
    """

    task = models.ForeignKey(Task, models.CASCADE, related_name="gold_revisions")
    number = models.PositiveIntegerField()
    note = models.TextField(blank=True)
    public_note = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    live_at = models.DateTimeField(null=True, blank=True)
    discarded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=["task", "number"], name="revision_number"),
        )

    def __str__(self) -> str:
        return f"{self.task} gold revision {self.number}"


class GoldFile(models.Model):
    """The gold of one test set in one revision. It has no address on the site."""

    revision = models.ForeignKey(GoldRevision, models.CASCADE, related_name="files")
    test_set = models.ForeignKey(TestSet, models.CASCADE, related_name="gold_files")
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    units = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["revision", "test_set"], name="one_gold"),
        )

    def __str__(self) -> str:
        return f"gold of {self.test_set}"
