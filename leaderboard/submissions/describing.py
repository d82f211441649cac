"""The description of a system, sent after the end of a phase."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class SystemDescription(models.Model):
    """A paper or text about a submission; the newest one counts."""

    submission = models.ForeignKey(
        "submissions.Submission", models.CASCADE, related_name="descriptions"
    )
    title = models.CharField(max_length=200)
    link = models.URLField(blank=True)
    text = models.TextField(blank=True, max_length=20_000)
    file_name = models.CharField(max_length=200, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")

    class Meta:
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return self.title
