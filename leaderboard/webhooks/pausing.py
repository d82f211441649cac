"""Pauses: between tries, and of webhooks, by their owner or by the site with mail."""

from datetime import timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.api.models import Webhook, WebhookDelivery, WebhookLetter
from leaderboard.tasks import outbox
from leaderboard.web.languages import of_reader

# Before the second try, the third ...; the last one comes a day after the first.
# The first must be longer than a delivery may take.
PAUSES = tuple(
    timedelta(minutes=minutes) for minutes in (0.5, 2, 10, 30, 120, 300, 480, 600, 600)
)
MOST_TRIES = len(PAUSES)
TOO_OLD = timedelta(hours=26)
LONGEST_REST = timedelta(minutes=30)  # of a webhook that has newer things to send
# A webhook is dead when nothing arrived for so long, and in so many tries.
PATIENCE, FAILURES = timedelta(days=3), 10
DROPPED = "the webhook was paused"


def pause(hook: Webhook, why: str) -> bool:
    """Stop it; what waits is given up. Mail goes out unless the owner did it.

    False when it was paused already.
    """
    with transaction.atomic():
        running = Webhook.objects.filter(pk=hook.pk, paused_at=None)
        if not running.update(paused_at=Now(), paused_why=why):
            return False
        waiting = WebhookDelivery.objects.filter(webhook=hook, sent_at=None)
        waiting.update(tried=MOST_TRIES, error=DROPPED)
        if why != Webhook.Why.OWNER:
            WebhookLetter.objects.create(webhook=hook, why=why)
    return True


def pause_if_dead(hook: Webhook) -> bool:
    """Pause it when nothing has arrived for days, whatever was tried."""
    dead = Webhook.objects.filter(
        pk=hook.pk,
        failures__gte=FAILURES,
        failing_since__lte=timezone.now() - PATIENCE,
    )
    return dead.exists() and pause(hook, Webhook.Why.FAILING)


def resume(hook: Webhook) -> None:
    """As if it had never failed. What happened meanwhile is not told."""
    Webhook.objects.filter(pk=hook.pk).update(
        paused_at=None,
        paused_why="",
        failures=0,
        failing_since=None,
        rests_until=Now(),
    )


def post() -> int:
    """Send the mail that is due; how many were sent."""
    rows = WebhookLetter.objects.select_related("webhook__user")
    return outbox.post(rows, written)


def written(row: WebhookLetter) -> EmailMessage:
    """Raises outbox.NotWanted when it runs again, or nobody may read it."""
    hook = row.webhook
    if hook.paused_at is None or not hook.user.is_active:
        raise outbox.NotWanted("runs again")
    with of_reader(hook.user):
        return _message(row, hook)


def _message(row: WebhookLetter, hook: Webhook) -> EmailMessage:
    address = outbox.site(reverse("webhook", args=[hook.pk]))
    why = Webhook.Why(row.why).label
    lines = [
        _("A webhook of yours is paused: %(why)s.") % {"why": why},
        "",
        hook.url,
        "",
        _("See what was tried, and let it run again: %(address)s")
        % {"address": address},
    ]
    return EmailMessage(
        subject=settings.ACCOUNT_EMAIL_SUBJECT_PREFIX + _("A webhook is paused"),
        body="\n".join(lines),
        to=[hook.user.email],
        headers={"Message-ID": outbox.message_id(f"webhook-{row.pk}")},
    )
