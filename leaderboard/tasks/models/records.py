"""Records kept for good: public notices, snapshots, messages."""

from django.db import models
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks.models.changes import AuditedQuerySet
from leaderboard.tasks.models.task import GoldRevision, Phase, Task
from leaderboard.teams.models import User, check_seen


class Notice(models.Model):
    """A public line in a task's log of changes, written once."""

    class Kind(models.TextChoices):
        DEADLINE = "deadline", _("Deadline")
        GOLD = "gold", _("Gold revision")
        RANKING = "ranking", _("Ranking")
        RULES = "rules", _("Rules")
        NEWS = "news", _("News")

    task = models.ForeignKey(Task, models.CASCADE, related_name="notices")
    phase = models.ForeignKey(Phase, models.CASCADE, null=True, blank=True)
    kind = models.CharField(max_length=20, choices=Kind, default=Kind.NEWS)
    text = models.TextField(max_length=2000)
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return self.text[:60]


IN_ADDRESS = 16  # hexadecimal digits of the hash of a snapshot
WRITTEN = (Notice.Kind.NEWS, Notice.Kind.RULES)  # the others come of what was done


def notices_of(task: Task) -> QuerySet[Notice]:
    """Notices of a task, the newest first, with their phases."""
    return Notice.objects.filter(task=task).select_related("phase")


def announce(task: Task, kind: str, text: str, by: User, phase: Phase | None) -> Notice:
    """Say something to everybody, for good.

    Raises ValueError for a kind that only what was done can write.
    """
    if kind not in WRITTEN:
        raise ValueError(f"{kind} is not written by hand")
    return Notice.objects.create(task=task, phase=phase, kind=kind, text=text, by=by)


class Snapshot(models.Model):
    """The rows of a board at one moment, frozen; its address ends in its hash."""

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="snapshots")
    gold_revision = models.ForeignKey(GoldRevision, models.PROTECT, related_name="+")
    title = models.CharField(max_length=120, blank=True, validators=[check_seen])
    final = models.BooleanField(default=False)
    data = models.JSONField()
    sha256 = models.CharField(max_length=64, unique=True)
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return f"{self.phase} on {self.at:%Y-%m-%d}"

    @property
    def short_hash(self) -> str:
        """The digits of its hash that its address ends in."""
        return self.sha256[:IN_ADDRESS]


class Message(models.Model):
    """A mail of the organizers to participants.

    `audience` is a status, "all", "team <key>", or "news" for an announcement. An
    important one reaches also those who switched messages off.
    """

    task = models.ForeignKey(Task, models.CASCADE, related_name="messages")
    subject = models.CharField(_("Subject"), max_length=150, validators=[check_seen])
    text = models.TextField(
        _("Text"), max_length=10_000, help_text=_("Plain text; links are written out.")
    )
    audience = models.CharField(max_length=20, default="all")
    important = models.BooleanField(
        _("Important: also to those who switched them off"),
        default=False,
        help_text=_("For what nobody may miss, as a new deadline."),
    )
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return self.subject
