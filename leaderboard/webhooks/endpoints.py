"""Webhooks through the API: list, add, look at, delete."""

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api import problems
from leaderboard.api.endpoint import Endpoint
from leaderboard.api.idempotency import once
from leaderboard.api.models import Scope, Token, Webhook
from leaderboard.api.shapes import refusals
from leaderboard.api.submitting import KEY
from leaderboard.tasks.models import Task
from leaderboard.webhooks import shapes, signing
from leaderboard.webhooks.deliveries import SHOWN
from leaderboard.webhooks.forms import TooManyWebhooks, WebhookForm


def _only(request: Request) -> Task | None:
    """The task of a token that is for one alone."""
    return request.auth.task if isinstance(request.auth, Token) else None


def own(request: Request) -> QuerySet[Webhook]:
    """The reader's webhooks, as far as this token knows of them."""
    found = Webhook.objects.filter(user=request.user).select_related("task")
    only = _only(request)
    return found if only is None else found.filter(task=only)


def own_or_404(request: Request, key: int) -> Webhook:
    found = own(request).filter(pk=key).first()
    if found is None:
        raise Http404
    return found


class Webhooks(Endpoint):
    scopes = {"POST": Scope.SUBMIT}
    signed_in = True

    @extend_schema(responses={200: shapes.Hook(many=True), **refusals()})
    def get(self, request: Request) -> Response:
        """The reader's webhooks."""
        return Response([shapes.hook_json(hook) for hook in own(request)])

    @extend_schema(
        parameters=[KEY],
        request=shapes.ADDING,
        responses={201: shapes.NewHook, **refusals(400, 409, 422)},
    )
    def post(self, request: Request) -> Response:
        """Add one; its secret is in this answer and in repetitions of it alone."""
        answer = self._made(request)
        if answer.status_code == 201:
            # Added here, so that the kept answer does not hold it.
            hook = own_or_404(request, answer.data["id"])
            answer.data = {**answer.data, "secret": signing.secret_of(hook)}
        return answer

    @once
    def _made(self, request: Request) -> Response:
        data = request.data if isinstance(request.data, dict) else {}
        form = WebhookForm(request.user, data, only=_only(request))
        if not form.is_valid():
            return problems.invalid(form.errors.get_json_data())
        try:
            hook = form.made(request.user)
        except TooManyWebhooks as reason:
            said = str(reason) or TooManyWebhooks.__doc__ or ""
            return problems.problem(409, "too_many_webhooks", said)
        return Response(shapes.hook_json(hook), 201)


class OneWebhook(Endpoint):
    scopes = {"DELETE": Scope.SUBMIT}
    signed_in = True

    @extend_schema(responses={200: shapes.Hook, **refusals()})
    def get(self, request: Request, key: int) -> Response:
        """One webhook: what it is told of, whether it is paused and why."""
        return Response(shapes.hook_json(own_or_404(request, key)))

    @extend_schema(responses={204: None, **refusals(400)})
    def delete(self, request: Request, key: int) -> Response:
        """Delete it, with the log of its deliveries."""
        own_or_404(request, key).delete()
        return Response(status=204)


class WebhookDeliveries(Endpoint):
    signed_in = True

    @extend_schema(responses={200: shapes.Delivery(many=True), **refusals()})
    def get(self, request: Request, key: int) -> Response:
        """The last fifty, newest first, with what became of each."""
        hook = own_or_404(request, key)
        rows = hook.deliveries.all()[:SHOWN]
        return Response([shapes.delivery_json(row, hook) for row in rows])
