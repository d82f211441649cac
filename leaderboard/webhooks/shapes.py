"""What is answered about webhooks, for the schema."""

from typing import Any

from rest_framework.fields import CharField, DateTimeField, IntegerField

from leaderboard.api.models import HookEvent, Webhook, WebhookDelivery
from leaderboard.api.shapes import maybe, shape, texts
from leaderboard.webhooks import deliveries

ADDING = {
    "application/json": {
        "type": "object",
        "properties": {
            "url": {"type": "string", "maxLength": 500},
            "events": {
                "type": "array",
                "items": {"type": "string", "enum": list(HookEvent.values)},
            },
            "task": {"type": "string", "description": "slug; all of yours without"},
        },
        "required": ["url", "events"],
    }
}
Hook = shape(
    "Webhook",
    id=IntegerField(),
    url=CharField(),
    events=texts(),
    task=maybe(CharField),
    created_at=DateTimeField(),
    paused_at=maybe(DateTimeField),
    paused_why=CharField(),
    failures=IntegerField(),
)
NewHook = shape("NewWebhook", **Hook().fields, secret=CharField())
Delivery = shape(
    "WebhookDelivery",
    id=CharField(),
    event=CharField(),
    at=DateTimeField(),
    state=CharField(),
    tried=IntegerField(),
    tried_at=maybe(DateTimeField),
    next_at=maybe(DateTimeField),
    status=maybe(IntegerField),
    milliseconds=maybe(IntegerField),
    error=CharField(),
    answer=CharField(),
    body=CharField(),
)


def hook_json(hook: Webhook) -> dict[str, Any]:
    same = ("url", "events", "created_at", "paused_at", "paused_why", "failures")
    return {
        "id": hook.pk,
        "task": hook.task.slug if hook.task else None,
        **{name: getattr(hook, name) for name in same},
    }


def delivery_json(row: WebhookDelivery, hook: Webhook) -> dict[str, Any]:
    same = (
        "event",
        "at",
        "tried",
        "tried_at",
        "status",
        "milliseconds",
        "error",
        "answer",
        "body",
    )
    return {
        "id": deliveries.name_of(row),
        "state": deliveries.state_of(row).value,
        "next_at": deliveries.next_at(row, hook),
        **{name: getattr(row, name) for name in same},
    }
