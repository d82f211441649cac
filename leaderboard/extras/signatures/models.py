"""The site's keys, and the record of rows of each task."""

from django.db import models
from django.utils import timezone

from leaderboard.extension.models import Phase, Task


class SiteKey(models.Model):
    """A key that the site signs with, or signed with once; its public half is `public`.

    The private half is made of SECRET_KEY and `nonce` (`keys.py`). `endorsement` is the
    signature of this key by the one before, `endorsed_by`.
    """

    nonce = models.CharField(max_length=60)
    public = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField(default=timezone.now)
    retired_at = models.DateTimeField(null=True, blank=True)
    endorsed_by = models.CharField(max_length=64, blank=True)
    endorsement = models.CharField(max_length=128, blank=True)

    class Meta:
        ordering = ("made_at", "pk")

    def __str__(self) -> str:
        return self.public


class RecordEntry(models.Model):
    """One line of a task's record of rows: written once, and never changed.

    `text` is the line as everybody reads it; `digest` its hash in the tree.
    """

    task = models.ForeignKey(Task, models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()  # from 0
    text = models.TextField()
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ("task", "number")
        constraints = (
            models.UniqueConstraint(fields=["task", "number"], name="record_order"),
        )

    def __str__(self) -> str:
        return self.text[:60]


class RecordedPhase(models.Model):
    """The state of a phase as the record knows it: a hash of all its rows depend on."""

    phase = models.OneToOneField(Phase, models.CASCADE, related_name="+")
    state = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.phase_id}"
