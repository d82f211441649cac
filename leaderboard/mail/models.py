"""The table of mail."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

MOST_TRIES = 6


class Mail(models.Model):
    """One mail to one reader: what it tells of, and how far its delivery is.

    It is written when it is sent, by what its `kind` names (`outbox.MailKind`) and
    about the row with the key `about`. `user` or `address` is whom it is for. `sealed`
    is a text that could not be written later, encrypted, and gone once it was sent.
    """

    tried = models.PositiveSmallIntegerField(default=0)
    # By the clock of the database, which also says what is due.
    not_before = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)
    kind = models.CharField(max_length=30)
    about = models.BigIntegerField(null=True, blank=True)
    detail = models.CharField(max_length=20, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
    )
    address = models.EmailField(blank=True)
    sealed = models.TextField(blank=True)
    name = models.UUIDField(default=uuid.uuid4, editable=False)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["kind", "about", "user"], name="one_mail_to_each"
            ),
        )
        indexes = (
            models.Index(
                fields=["not_before"],
                condition=Q(sent_at=None, tried__lt=MOST_TRIES),
                name="mail_to_be_sent",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.about or ''}".strip()

    @property
    def given_up(self) -> bool:
        """Whether it was not sent, and is not tried again."""
        return self.sent_at is None and self.tried >= MOST_TRIES
