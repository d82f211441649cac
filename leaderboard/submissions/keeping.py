"""What stands beside a submission: its team's own notes, and mail about its results."""

from django.db import models
from django.utils import timezone

MOST_TAGS = 10


class TeamNote(models.Model):
    """What a team wrote to itself about a submission; nobody else is shown it.

    `tags` are words with a space before and after each, so that one can be found.
    """

    submission = models.OneToOneField(
        "submissions.Submission", models.CASCADE, related_name="team_note"
    )
    text = models.TextField(blank=True, max_length=2000)
    tags = models.CharField(blank=True, max_length=320)
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def words(self) -> list[str]:
        return self.tags.split()

    @staticmethod
    def packed(words: set[str]) -> str:
        return f" {' '.join(sorted(words))} " if words else ""


class ResultMail(models.Model):
    """The mail about one final event of an evaluation, to whoever sent the file.

    The event is the order, written with the result; this row is how far its delivery
    is. One per event, so nobody is told twice.
    """

    event = models.OneToOneField(
        "submissions.Event", models.CASCADE, related_name="mail"
    )
    tried = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)

    def __str__(self) -> str:
        return f"mail about {self.event}"
