"""Webhooks through the API: list, add, look at, delete."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework.fields import CharField, DateTimeField, IntegerField
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api import problems
from leaderboard.api.idempotency import once
from leaderboard.api.models import Scope, Token
from leaderboard.api.serializers import AnswerSerializer, nullable, strings
from leaderboard.api.views.base import IDEMPOTENCY_KEY, Endpoint, answers, form, members
from leaderboard.extras.webhooks import signatures
from leaderboard.extras.webhooks.forms import WebhookForm
from leaderboard.extras.webhooks.models import (
    SHOWN,
    EventKind,
    Webhook,
    WebhookDelivery,
)
from leaderboard.extras.webhooks.views import OWN_WEBHOOK
from leaderboard.tasks.models import Task
from leaderboard.web.access import SIGNED_IN

ADDING = form(
    {
        "url": {"type": "string", "maxLength": 500},
        "events": {
            "type": "array",
            "items": {"type": "string", "enum": EventKind.values},
        },
        "task": {
            "type": "string",
            "description": "slug of a task; without it, all of your tasks",
        },
    },
    "application/json",
    required=["url", "events"],
)


class WebhookSerializer(AnswerSerializer):
    id = IntegerField()
    url = CharField()
    events = strings()
    task = nullable(CharField, source="task.slug")
    created_at = DateTimeField()
    paused_at = nullable(DateTimeField)
    paused_why = CharField()
    failures = IntegerField()


class NewWebhookSerializer(WebhookSerializer):
    secret = CharField()


class WebhookDeliverySerializer(AnswerSerializer):
    id = CharField(source="name")
    event = CharField()
    at = DateTimeField()
    state = CharField()
    tried = IntegerField()
    tried_at = nullable(DateTimeField)
    next_at = nullable(DateTimeField)
    status = nullable(IntegerField)
    milliseconds = nullable(IntegerField)
    error = CharField()
    answer = CharField()
    body = CharField()


def _only(request: Request) -> Task | None:
    """The task of a token that is for one alone."""
    return request.auth.task if isinstance(request.auth, Token) else None


def own(request: Request) -> QuerySet[Webhook]:
    """The reader's webhooks, as far as this token knows of them."""
    hooks = Webhook.objects.filter(user=request.user).select_related("task")
    only = _only(request)
    return hooks if only is None else hooks.filter(task=only)


class WebhooksView(Endpoint):
    access = SIGNED_IN
    scopes = {"POST": Scope.SUBMIT}

    @answers(WebhookSerializer, many=True)
    def get(self, request: Request) -> QuerySet[Webhook]:
        """The reader's webhooks."""
        return own(request)

    @answers(
        NewWebhookSerializer,
        201,
        *(400, 409, 422),
        parameters=[IDEMPOTENCY_KEY],
        request=ADDING,
    )
    def post(self, request: Request) -> Response:
        """Create a webhook; its secret is in this answer and in repeats of it only."""
        answer = self._made(request)
        # Added here, so that the kept answer does not hold it.
        hook = get_object_or_404(own(request), pk=answer.data["id"])
        answer.data = {**answer.data, "secret": signatures.secret_of(hook)}
        return answer

    @once
    def _made(self, request: Request) -> Response:
        data = members(request)
        fields = WebhookForm(request.user, data, only=_only(request))
        if not fields.is_valid():
            raise problems.invalid(fields)
        return self.serialized(WebhookSerializer, fields.save(), 201)


class OneWebhookView(Endpoint):
    access = OWN_WEBHOOK
    scopes = {"DELETE": Scope.SUBMIT}

    @answers(WebhookSerializer)
    def get(self, request: Request, hook: Webhook) -> Webhook:
        """One webhook: its events, and whether and why it is paused."""
        return hook

    @answers(None, 204, 400)
    def delete(self, request: Request, hook: Webhook) -> Response:
        """Delete a webhook and the log of its deliveries."""
        hook.delete()
        return Response(status=204)


class WebhookDeliveriesView(Endpoint):
    access = OWN_WEBHOOK

    @answers(WebhookDeliverySerializer, many=True)
    def get(self, request: Request, hook: Webhook) -> QuerySet[WebhookDelivery]:
        """The last fifty deliveries, newest first, each with its outcome."""
        return hook.deliveries.all()[:SHOWN]
