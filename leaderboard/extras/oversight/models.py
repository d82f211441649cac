"""Refused uploads: of each nothing but by what kind of problem."""

from django.db import models
from django.utils import timezone

from leaderboard.extension.models import Participation, Phase

LONGEST = 300


class RefusedUpload(models.Model):
    """A kind of problem for which an upload was refused.

    `template` is the sentence without its values: nothing of the file is kept. An
    upload with several kinds of problems has a row for each, with one `at`.
    """

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="+")
    participation = models.ForeignKey(Participation, models.CASCADE, related_name="+")
    code = models.CharField(max_length=60)
    template = models.CharField(max_length=LONGEST, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = (models.Index(fields=["phase", "at"], name="refused_in_phase"),)

    def __str__(self) -> str:
        return self.code
