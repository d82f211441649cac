"""Webhooks of the cast, and what happens to them."""

import json
from datetime import timedelta
from typing import Any

from django.utils import timezone

from leaderboard.extras.webhooks import events as news
from leaderboard.extras.webhooks import signatures
from leaderboard.extras.webhooks.models import (
    EventKind,
    Watch,
    WatchedPhase,
    Webhook,
    WebhookDelivery,
)
from leaderboard.teams.models import User

ALL = tuple(EventKind.values)


def hooked(user: User, *events: str, **fields: Any) -> Webhook:
    """A webhook that the site has begun to look for."""
    hook = Webhook(user=user, events=list(events or ALL), **fields)
    hook.url = hook.url or "https://hooks.example.org/"
    signatures.seal(hook)
    hook.save()
    news.collect()
    WebhookDelivery.objects.all().delete()
    return hook


def minute_later() -> None:
    """As if the last look at the boards had been a while ago."""
    Watch.objects.update(boards_at=timezone.now() - timedelta(minutes=2))


def told(hook: Webhook) -> list[dict[str, Any]]:
    """Deliveries since then, after one more look."""
    minute_later()
    news.collect()
    rows = WebhookDelivery.objects.filter(webhook=hook).order_by("pk")
    return [json.loads(row.body) for row in rows]


def kinds(hook: Webhook) -> list[str]:
    return [one["type"] for one in told(hook)]


def again() -> None:
    """As if every pause between tries were over."""
    past = timezone.now() - timedelta(seconds=1)
    WebhookDelivery.objects.update(not_before=past)
    Webhook.objects.update(rests_until=past)


def known_phases() -> int:
    return WatchedPhase.objects.count()
