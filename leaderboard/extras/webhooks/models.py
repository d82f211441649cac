"""Webhooks, the kinds of events they tell, their deliveries, and what is watched.

The tables are those of the app `api`, where webhooks began.
"""

import uuid
from datetime import datetime, timedelta

from django.db import models, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.mail import outbox
from leaderboard.mail.models import Mail, OutboxRow
from leaderboard.submissions.models import Event
from leaderboard.tasks.models import Notice, Participation, Phase, Task
from leaderboard.teams.models import User

# Before the second try, the third ...; the last one comes a day after the first.
# The first must be longer than a delivery may take.
PAUSES = tuple(
    timedelta(minutes=minutes) for minutes in (0.5, 2, 10, 30, 120, 300, 480, 600, 600)
)
MOST_TRIES = len(PAUSES)
TOO_OLD = timedelta(hours=26)
SHOWN = 50
DROPPED = "the webhook was paused"
TEST = "webhook.test"
PAUSED = "webhook"  # the kind of mail


class EventKind(models.TextChoices):
    SCORED = "submission.scored", _("A submission was scored")
    FAILED = "submission.failed", _("A submission could not be scored")
    BOARD = "board.changed", _("A board changed")
    OPENED = "phase.opened", _("A phase opened")
    CLOSED = "phase.closed", _("A phase closed")
    ANNOUNCED = "announcement.published", _("The public log has a new line")
    EXTENDED = "extension.changed", _("A team was given more time, or less")


class WebhookQuerySet(models.QuerySet):
    def alive(self) -> "WebhookQuerySet":
        """Not paused, and their person may sign in."""
        return self.filter(paused_at=None, user__is_active=True)


class Webhook(models.Model):
    """An address that is told of events, as far as its person may know of them.

    Without a `task` those of the person's own tasks. What signs is made of the site's
    key and `nonce`, and known by its `fingerprint`. `failures` count since the last
    delivery that arrived; nothing is sent before `rests_until`.
    """

    class Why(models.TextChoices):
        OWNER = "owner", _("paused by you")
        FAILING = "failing", _("nothing arrived for days")
        GONE = "gone", _("it answered 410: gone")
        KEY = "key", _("the key of the site changed")

    user = models.ForeignKey(User, models.CASCADE, related_name="webhooks")
    task = models.ForeignKey(
        Task, models.CASCADE, null=True, blank=True, related_name="+"
    )
    url = models.CharField(max_length=500)
    events = models.JSONField(default=list)
    nonce = models.CharField(max_length=64, editable=False)
    fingerprint = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    paused_at = models.DateTimeField(null=True, editable=False)
    paused_why = models.CharField(max_length=10, choices=Why, blank=True)
    failures = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True, editable=False)
    tried_at = models.DateTimeField(null=True, editable=False)
    rests_until = models.DateTimeField(default=timezone.now, editable=False)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        app_label = "api"
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.url

    @property
    def event_titles(self) -> list[str]:
        return [str(kind.label) for kind in EventKind if kind in self.events]

    def pause(self, why: str) -> bool:
        """Stop it; what waits is given up. Mail goes out unless the owner did it.

        False when it was paused already.
        """
        with transaction.atomic():
            running = Webhook.objects.filter(pk=self.pk, paused_at=None)
            if not running.update(paused_at=Now(), paused_why=why):
                return False
            waiting = WebhookDelivery.objects.filter(webhook=self, sent_at=None)
            waiting.update(tried=MOST_TRIES, error=DROPPED)
            if why != Webhook.Why.OWNER:
                outbox.order(Mail(kind=PAUSED, about=self.pk, detail=why))
        return True

    def resume(self) -> None:
        """As if it had never failed. What happened meanwhile is not told."""
        Webhook.objects.filter(pk=self.pk).update(
            paused_at=None,
            paused_why="",
            failures=0,
            failing_since=None,
            rests_until=Now(),
        )


class DeliveryState(models.TextChoices):
    ARRIVED = "arrived", _("Arrived")
    WAITING = "waiting", _("Waiting")
    TRIED = "tried", _("Will be tried again")
    GIVEN_UP = "given_up", _("Given up")


class WebhookDelivery(OutboxRow):
    """One event to one webhook; `body` and `number` stay the same however often tried.

    `about` names the event: a webhook is told of each once. `status`, `milliseconds`
    and `answer` are those of the last try.
    """

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    number = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    event = models.CharField(max_length=40)
    about = models.CharField(max_length=80)
    body = models.TextField()
    at = models.DateTimeField(default=timezone.now, db_index=True)
    tried_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    milliseconds = models.PositiveIntegerField(null=True)
    answer = models.CharField(max_length=200, blank=True)

    class Meta:
        app_label = "api"
        ordering = ("-at", "-pk")
        constraints = (
            models.UniqueConstraint(fields=["webhook", "about"], name="told_once"),
        )

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook}"

    @property
    def name(self) -> str:
        """The webhook-id: the same however often it is sent."""
        return f"msg_{self.number.hex}"

    @property
    def state(self) -> DeliveryState:
        if self.sent_at is not None:
            return DeliveryState.ARRIVED
        if self.tried >= MOST_TRIES or self.at <= timezone.now() - TOO_OLD:
            return DeliveryState.GIVEN_UP
        return DeliveryState.TRIED if self.tried else DeliveryState.WAITING

    @property
    def next_at(self) -> datetime | None:
        """When it is tried at the earliest; None where it is not, or at once."""
        if self.state != DeliveryState.TRIED or self.webhook.paused_at is not None:
            return None
        return max(self.not_before, self.webhook.rests_until)


class Announcement(models.Model):
    """Something that happened, until its deliveries are made.

    It is the end of an evaluation (`event`), a line of the public log (`notice`), or
    another end of a phase for one team (`phase` and `entry`).
    """

    event = models.OneToOneField(Event, models.CASCADE, null=True, related_name="+")
    notice = models.OneToOneField(Notice, models.CASCADE, null=True, related_name="+")
    phase = models.ForeignKey(Phase, models.CASCADE, null=True, related_name="+")
    entry = models.ForeignKey(
        Participation, models.CASCADE, null=True, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now, db_default=Now())

    class Meta:
        app_label = "api"

    def __str__(self) -> str:
        return f"announcement of {self.event or self.notice or self.phase}"


class WatchedPhase(models.Model):
    """How a phase was when webhooks were last told of it.

    `asked` stands for all that its board is made of, `public` for what anybody sees
    of it; empty where nobody has looked.
    """

    phase = models.OneToOneField(Phase, models.CASCADE, related_name="+")
    state = models.CharField(max_length=10)
    asked = models.CharField(max_length=64, blank=True)
    public = models.CharField(max_length=64, blank=True)

    class Meta:
        app_label = "api"

    def __str__(self) -> str:
        return f"{self.phase} {self.state}"


class Watch(models.Model):
    """When boards were last looked at, in the one row there is."""

    boards_at = models.DateTimeField()

    class Meta:
        app_label = "api"

    def __str__(self) -> str:
        return f"boards looked at {self.boards_at}"
