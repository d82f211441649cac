"""Test sets, and the revisions of their gold."""

from pathlib import PurePosixPath

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks import blobs
from leaderboard.tasks.models.changes import AuditedQuerySet
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

    objects = AuditedQuerySet.as_manager()

    class Meta:
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(fields=["task", "name"], name="test_set_name"),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def public_name(self) -> str:
        """Of the blind file: its own name may be made of the gold's."""
        return f"{self.name}{PurePosixPath(self.blind_name).suffix}"

    def blind(self) -> Source:
        return Source.of_bytes(self.blind_name, blobs.read(self.blind_sha256))


class GoldRevisionQuerySet(AuditedQuerySet):
    def live(self) -> "GoldRevision | None":
        """What boards show: of the revisions of one task the last that became live."""
        live = self.filter(live_at__isnull=False).order_by("live_at", "number")
        return live.last()


class GoldRevision(models.Model):
    """One version of the gold of all test sets of a task.

    It is a draft until `live_at`, the last time it became what boards show; `note` is
    for organizers, `public_note` for all. `preparing` while submissions are scored
    under it, so that it can become live (again): one of a task at a time.
    """

    class State(models.TextChoices):
        LIVE = "live", _("Live")
        PREPARING = "preparing", _("Being prepared")
        OLDER = "older", _("Was live")
        DISCARDED = "discarded", _("Discarded")

        @property
        def badge(self) -> str:
            """The style of its badge."""
            badges = {"live": "open", "preparing": "running", "discarded": "late"}
            return badges.get(self.value, "")

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
    preparing = models.BooleanField(default=False)

    objects = GoldRevisionQuerySet.as_manager()

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=["task", "number"], name="revision_number"),
            models.UniqueConstraint(
                fields=["task"], condition=Q(preparing=True), name="one_in_preparation"
            ),
        )

    def __str__(self) -> str:
        return f"{self.task} gold revision {self.number}"

    @property
    def state(self) -> State:
        """Asks the database for the revision that is live."""
        return self.state_beside(GoldRevision.objects.filter(task=self.task_id).live())

    def state_beside(self, live: "GoldRevision | None") -> State:
        """The state where `live` is the live revision of the task."""
        if self == live:
            return self.State.LIVE
        if self.preparing:
            return self.State.PREPARING
        return self.State.DISCARDED if self.live_at is None else self.State.OLDER


class GoldFile(models.Model):
    """The gold of one test set in one revision; only those who may edit it see it.

    `changes`, of a corrected file: `since` (number of the revision it was compared
    with), `count` of the units that are scored differently, and `units`, the first
    of their names. Empty for a file that was taken over.
    """

    revision = models.ForeignKey(GoldRevision, models.CASCADE, related_name="files")
    test_set = models.ForeignKey(TestSet, models.CASCADE, related_name="gold_files")
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    units = models.PositiveIntegerField()
    changes = models.JSONField(default=dict, blank=True, editable=False)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["revision", "test_set"], name="one_gold"),
        )

    def __str__(self) -> str:
        return f"gold of {self.test_set}"

    def source(self) -> Source:
        return Source.of_bytes(self.name, blobs.read(self.sha256))
