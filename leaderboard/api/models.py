"""Tokens, webhooks, and what POSTs that may be repeated were answered."""

import uuid
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User


class Scope(models.TextChoices):
    """What a token may do in the name of its person."""

    READ = "read", _("Read what you may read")
    SUBMIT = "submit", _("Submit, withdraw and choose for your teams")
    ORGANIZE = "organize", _("Organize: bundles and gold of your tasks")


class TokenQuerySet(models.QuerySet):
    def alive(self, moment: datetime) -> "TokenQuerySet":
        """Neither revoked nor expired, and their person may sign in."""
        lasting = Q(expires_at=None) | Q(expires_at__gt=moment)
        return self.filter(lasting, revoked_at=None, user__is_active=True)


class Token(models.Model):
    """A key of a program; only its hash is kept. `start` is for recognising it.

    Without a `task` it is good for every task; each scope includes reading.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=60)
    start = models.CharField(max_length=12, editable=False)
    sha256 = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(default=list)
    task = models.ForeignKey(
        Task, models.CASCADE, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    objects = TokenQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"{self.name} ({self.start}…)"

    def allows(self, scope: str) -> bool:
        return scope == Scope.READ or scope in self.scopes

    def is_for(self, task_id: Any) -> bool:
        return self.task_id is None or self.task_id == task_id

    @property
    def expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def scope_titles(self) -> list[str]:
        return [str(Scope(one).label) for one in self.scopes]


class KeptAnswer(models.Model):
    """The answer to a POST with an Idempotency-Key; `status` is 0 while it is made."""

    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    address = models.CharField(max_length=300)
    key = models.CharField(max_length=64)
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    body = models.JSONField(null=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["user", "address", "key"], name="answered_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.address} {self.key}"


class HookEvent(models.TextChoices):
    """What a webhook may tell of."""

    SCORED = "submission.scored", _("A submission was scored")
    FAILED = "submission.failed", _("A submission could not be scored")
    BOARD = "board.changed", _("A board changed")
    OPENED = "phase.opened", _("A phase opened")
    CLOSED = "phase.closed", _("A phase closed")


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
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.url

    @property
    def event_titles(self) -> list[str]:
        return [str(one.label) for one in HookEvent if one in self.events]


class Posted(models.Model):
    """What `tasks.outbox` asks of a row that it claims, tries and marks."""

    tried = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        abstract = True


class WebhookDelivery(Posted):
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
        ordering = ("-at", "-pk")
        constraints = (
            models.UniqueConstraint(fields=["webhook", "about"], name="told_once"),
        )

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook}"


class WebhookLetter(Posted):
    """The mail about a webhook that the site paused by itself."""

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="+")
    why = models.CharField(max_length=10, choices=Webhook.Why)

    def __str__(self) -> str:
        return f"mail about {self.webhook}"


class WatchedPhase(models.Model):
    """How a phase was when webhooks were last told of it.

    `asked` stands for all that its board is made of, `public` for what anybody sees
    of it; empty where nobody has looked.
    """

    phase = models.OneToOneField(Phase, models.CASCADE, related_name="+")
    state = models.CharField(max_length=10)
    asked = models.CharField(max_length=64, blank=True)
    public = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"{self.phase} {self.state}"


class Watch(models.Model):
    """How far was looked for what webhooks tell, in the one row there is."""

    event = models.BigIntegerField(default=0)
    boards_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"events up to {self.event}"
