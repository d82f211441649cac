"""The site's keys, the record of rows of each task, and what other sites verified."""

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator, URLValidator
from django.db import models
from django.utils import timezone

from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User


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


class KnownSite(models.Model):
    """Another site whose receipts are taken here: its name as boards say it, and its
    address, which is never asked."""

    name = models.CharField(max_length=60, unique=True)
    address = models.CharField(
        max_length=200, unique=True, validators=[URLValidator(["https", "http"])]
    )

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class KnownKey(models.Model):
    """A public key of another site, as `/.well-known/plumbline-keys.json` there has it.

    What was signed with one that is withdrawn counts no longer.
    """

    site = models.ForeignKey(KnownSite, models.CASCADE, related_name="keys")
    public = models.CharField(
        "key",
        max_length=64,
        unique=True,
        validators=[RegexValidator("^[0-9a-f]{64}$", "Expected 64 digits 0-9, a-f.")],
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("site", "pk")

    def __str__(self) -> str:
        return self.public

    def clean(self) -> None:
        if SiteKey.objects.filter(public=self.public).exists():
            raise ValidationError({"public": "This is a key of this site itself."})


class ForeignReceipt(models.Model):
    """The receipts that another site signed for what a submission has here: the same
    files, gold and scores of one evaluation.

    `sha256` is that of what was signed, `page` the address of the system there.
    """

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="+")
    site = models.ForeignKey(KnownSite, models.CASCADE, related_name="+")
    key = models.ForeignKey(KnownKey, models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64)
    page = models.CharField(max_length=400, blank=True)
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("site__name",)
        constraints = (
            models.UniqueConstraint(
                fields=["submission", "site"], name="one_receipt_of_a_site"
            ),
        )

    def __str__(self) -> str:
        return f"{self.submission_id} at {self.site_id}"
