"""Deliveries on their way: few at a time, at least once, and not for ever.

A row is claimed by `tasks.outbox` before it is sent and marked after. A crash in
between leaves it unmarked, and it is sent again with the same webhook-id and body.
While requests are under way nothing is held: no transaction, no lock. A row rests
longer after every try that failed, and so does its webhook, so that one endpoint that
hangs costs a few seconds now and then.
"""

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from leaderboard.api.models import Webhook, WebhookDelivery
from leaderboard.tasks import outbox
from leaderboard.webhooks import audience, connecting, pausing, signing
from leaderboard.webhooks.connecting import Outcome
from leaderboard.webhooks.deliveries import name_of
from leaderboard.webhooks.pausing import LONGEST_REST, MOST_TRIES, PAUSES, TOO_OLD

PER_MINUTE = 60  # to one webhook
AT_ONCE = 4  # webhooks
ROUND_SECONDS = 20.0
GONE = 410
NOT_THEIRS = "its person may not know of it any more"


@dataclass(frozen=True)
class Parcel:
    """A claimed delivery, ready to go."""

    row: WebhookDelivery
    headers: Mapping[str, str]

    def send(self) -> Outcome:
        row = self.row
        return connecting.post(row.webhook.url, self.headers, row.body.encode())


def send(seconds: float = ROUND_SECONDS) -> int:
    """Send what is due, until nothing is or the time is over; how many arrived."""
    end = time.monotonic() + seconds
    arrived = 0
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="webhook") as pool:
        while time.monotonic() < end and (rows := next_rows()):
            parcels = [parcel for row in rows if (parcel := _claimed(row))]
            outcomes = pool.map(Parcel.send, parcels)
            for parcel, outcome in zip(parcels, outcomes, strict=True):
                _note(parcel.row, outcome)
                arrived += outcome.arrived
    return arrived


def next_rows() -> list[WebhookDelivery]:
    """The oldest that is due of each webhook; whoever waited longest goes first."""
    due = outbox.due(WebhookDelivery.objects.all(), MOST_TRIES)
    due = due.filter(webhook=OuterRef("pk"), at__gt=Now() - TOO_OLD)
    lately = Q(deliveries__tried_at__gt=Now() - timedelta(minutes=1))
    ready = Webhook.objects.alive().filter(rests_until__lte=Now())
    ready = ready.annotate(
        row=Subquery(due.values("pk")[:1]), lately=Count("deliveries", filter=lately)
    ).filter(row__isnull=False, lately__lt=PER_MINUTE)
    first = ready.order_by(F("tried_at").asc(nulls_first=True), "pk")
    keys = list(first.values_list("row", flat=True)[:AT_ONCE])
    rows = WebhookDelivery.objects.select_related("webhook__user", "webhook__task")
    return list(rows.filter(pk__in=keys))


def _claimed(row: WebhookDelivery) -> Parcel | None:
    """None if somebody else has it, or it is not to be sent any more."""
    if not outbox.claim(row, PAUSES[row.tried], tried_at=Now()):
        return None
    hook = row.webhook
    Webhook.objects.filter(pk=hook.pk).update(tried_at=Now())
    if not audience.may_still_know(hook.user, row.body):
        outbox.mark(row, tried=MOST_TRIES, error=NOT_THEIRS)
        return None
    try:
        key = signing.key_of(hook)
    except signing.KeyChanged:
        pausing.pause(hook, Webhook.Why.KEY)
        return None
    return Parcel(row, headers_of(row, key, int(time.time())))


def headers_of(row: WebhookDelivery, key: bytes, seconds: int) -> dict[str, str]:
    name = name_of(row)
    return {
        "Content-Type": "application/json",
        "User-Agent": f"Plumbline ({settings.SITE_URL})",
        "webhook-id": name,
        "webhook-timestamp": str(seconds),
        "webhook-signature": signing.signature(key, name, seconds, row.body),
    }


def _note(row: WebhookDelivery, outcome: Outcome) -> None:
    found = {
        "status": outcome.status,
        "error": outcome.error,
        "answer": outcome.answer,
        "milliseconds": outcome.milliseconds,
    }
    hook = Webhook.objects.filter(pk=row.webhook_id)
    if outcome.arrived:
        outbox.mark(row, sent_at=timezone.now(), **found)
        hook.update(failures=0, failing_since=None)
        return
    outbox.mark(row, **found)
    rest = min(PAUSES[min(row.webhook.failures, MOST_TRIES - 1)], LONGEST_REST)
    hook.update(
        failures=F("failures") + 1,
        failing_since=Coalesce("failing_since", Now()),
        rests_until=Now() + rest,
    )
    if outcome.status == GONE:
        pausing.pause(row.webhook, Webhook.Why.GONE)
    else:
        pausing.pause_if_dead(row.webhook)
