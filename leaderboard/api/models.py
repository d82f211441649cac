"""Tokens, and what POSTs that may be repeated were answered."""

from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks.models import Task
from leaderboard.teams.models import User


class Scope(models.TextChoices):
    """A scope: what a token may do in the name of its person."""

    READ = "read", _("Read what you may read")
    SUBMIT = "submit", _("Submit, withdraw and choose for your teams")
    ORGANIZE = "organize", _("Organize: bundles and gold of your tasks")


class TokenQuerySet(models.QuerySet):
    def alive(self, moment: datetime) -> "TokenQuerySet":
        """Tokens that are neither revoked nor expired, and whose person may sign in."""
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
    def is_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def scope_titles(self) -> list[str]:
        return [str(Scope(scope).label) for scope in self.scopes]


class KeptAnswer(models.Model):
    """The answer to a POST with an Idempotency-Key, written with what it tells of."""

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
