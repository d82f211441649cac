"""Deliveries on their way: few at a time, at least once, and not for ever.

A row is claimed by `mail.outbox` before it is sent and marked after. A crash in
between leaves it unmarked, and it is sent again with the same webhook-id and body.
While requests are under way nothing is held: no transaction, no lock. A row rests
longer after every try that failed, and so does its webhook, so that one endpoint that
hangs costs a few seconds now and then. The site pauses a webhook that is dead, by mail.
"""

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from math import inf

from django.conf import settings
from django.db.models import Count, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from leaderboard.extras.webhooks import signatures, ssrf
from leaderboard.extras.webhooks.audience import may_still_know
from leaderboard.extras.webhooks.models import (
    MOST_TRIES,
    PAUSES,
    TOO_OLD,
    Webhook,
    WebhookDelivery,
)
from leaderboard.mail import outbox
from leaderboard.mail.sender import Round

PER_MINUTE = 60  # to one webhook
AT_ONCE = 4  # webhooks
LONGEST_REST = timedelta(minutes=30)  # of a webhook that has newer things to send
# A webhook is dead when nothing arrived for so long, and in so many tries.
PATIENCE, FAILURES = timedelta(days=3), 10
GONE = 410
NOT_THEIRS = "its person may not know of it any more"


def send(limit: Round | None = None) -> int:
    """Send what is due, until nothing is or the round is over; how many arrived."""
    limit = limit or Round(inf)
    arrived = 0
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="webhook") as pool:
        while not limit.over and (rows := next_rows()):
            claimed = [(row, headers) for row in rows if (headers := _claimed(row))]
            outcomes = pool.map(lambda parcel: _post(*parcel), claimed)
            for (row, _headers), outcome in zip(claimed, outcomes, strict=True):
                _note(row, outcome)
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


def _claimed(row: WebhookDelivery) -> Mapping[str, str] | None:
    """Its signed headers; None if somebody else has it, or it is not to be sent."""
    if not outbox.claim(row, PAUSES[row.tried], tried_at=Now()):
        return None
    hook = row.webhook
    Webhook.objects.filter(pk=hook.pk).update(tried_at=Now())
    if not may_still_know(hook.user, row.event, row.body):
        outbox.mark(row, tried=MOST_TRIES, error=NOT_THEIRS)
        return None
    try:
        key = signatures.key_of(hook)
    except signatures.KeyChanged:
        hook.pause(Webhook.Why.KEY)
        return None
    seconds = int(time.time())
    return {
        "Content-Type": "application/json",
        "User-Agent": f"Plumbline ({settings.SITE_URL})",
        "webhook-id": row.name,
        "webhook-timestamp": str(seconds),
        "webhook-signature": signatures.signature(key, row.name, seconds, row.body),
    }


def _post(row: WebhookDelivery, headers: Mapping[str, str]) -> ssrf.Outcome:
    return ssrf.post(row.webhook.url, headers, row.body.encode())


def _note(row: WebhookDelivery, outcome: ssrf.Outcome) -> None:
    fields = {
        "status": outcome.status,
        "error": outcome.error,
        "answer": outcome.answer,
        "milliseconds": outcome.milliseconds,
    }
    hook = Webhook.objects.filter(pk=row.webhook_id)
    if outcome.arrived:
        outbox.mark(row, sent_at=timezone.now(), **fields)
        hook.update(failures=0, failing_since=None)
        return
    outbox.mark(row, **fields)
    rest = min(PAUSES[min(row.webhook.failures, MOST_TRIES - 1)], LONGEST_REST)
    hook.update(
        failures=F("failures") + 1,
        failing_since=Coalesce("failing_since", Now()),
        rests_until=Now() + rest,
    )
    since = timezone.now() - PATIENCE
    if outcome.status == GONE:
        row.webhook.pause(Webhook.Why.GONE)
    elif hook.filter(failures__gte=FAILURES, failing_since__lte=since).exists():
        row.webhook.pause(Webhook.Why.FAILING)
