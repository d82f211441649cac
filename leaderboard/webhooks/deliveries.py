"""How far a delivery is, for the page and the API."""

from datetime import datetime

from django.db.models import TextChoices
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.api.models import Webhook, WebhookDelivery
from leaderboard.webhooks.pausing import MOST_TRIES, TOO_OLD

SHOWN = 50


class State(TextChoices):
    ARRIVED = "arrived", _("Arrived")
    WAITING = "waiting", _("Waiting")
    TRIED = "tried", _("Will be tried again")
    GIVEN_UP = "given_up", _("Given up")


def name_of(row: WebhookDelivery) -> str:
    """The webhook-id: the same however often it is sent."""
    return f"msg_{row.number.hex}"


def state_of(row: WebhookDelivery) -> State:
    if row.sent_at is not None:
        return State.ARRIVED
    if row.tried >= MOST_TRIES or row.at <= timezone.now() - TOO_OLD:
        return State.GIVEN_UP
    return State.TRIED if row.tried else State.WAITING


def next_at(row: WebhookDelivery, hook: Webhook) -> datetime | None:
    """When it is tried at the earliest; None where it is not, or at once."""
    if state_of(row) != State.TRIED or hook.paused_at is not None:
        return None
    return max(row.not_before, hook.rests_until)
