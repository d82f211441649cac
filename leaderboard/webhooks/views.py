"""The pages of a person's webhooks: add one, see what was delivered, pause, delete."""

from datetime import timedelta

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from leaderboard.api.models import Webhook, WebhookDelivery
from leaderboard.teams.models import User
from leaderboard.webhooks import jobs, news, pausing, signing
from leaderboard.webhooks.deliveries import SHOWN, next_at, state_of
from leaderboard.webhooks.forms import (
    MOST_PER_PERSON,
    TooManyWebhooks,
    WebhookForm,
)

TEST_EVERY = timedelta(seconds=10)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def listing(request: HttpRequest) -> HttpResponse:
    """The secret of a new one is shown in the answer to the form and nowhere else."""
    form = WebhookForm(request.user, request.POST if request.method == "POST" else None)
    made, secret = None, ""
    if request.method == "POST" and form.is_valid():
        try:
            made = form.made(request.user)
            secret = signing.secret_of(made)
            form = WebhookForm(request.user)
        except TooManyWebhooks:
            said = _("You may have %(most)s webhooks: delete one first.")
            form.add_error(None, said % {"most": MOST_PER_PERSON})
    hooks = Webhook.objects.filter(user=request.user).select_related("task")
    context = {"form": form, "made": made, "secret": secret, "hooks": hooks}
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "webhooks/list.html", context, status=status)


@login_required
@require_safe
def one(request: HttpRequest, key: int) -> HttpResponse:
    """One webhook with its last deliveries."""
    hook = _own_or_404(request.user, key)
    log = [
        (row, state_of(row), next_at(row, hook))
        for row in hook.deliveries.all()[:SHOWN]
    ]
    return render(request, "webhooks/one.html", {"hook": hook, "log": log})


@require_POST
@login_required
def change(request: HttpRequest, key: int) -> HttpResponse:
    """Pause it, let it run again, send a test, delete it."""
    hook = _own_or_404(request.user, key)
    action = request.POST.get("action", "")
    if action == "delete":
        hook.delete()
        messages.success(request, _("The webhook is deleted."))
        return redirect("webhooks")
    if action == "pause" and pausing.pause(hook, Webhook.Why.OWNER):
        messages.success(request, _("The webhook is paused; what waited is dropped."))
    if action == "resume":
        pausing.resume(hook)
        messages.success(request, _("The webhook runs again."))
    if action == "test":
        _test(request, hook)
    return redirect("webhook", hook.pk)


def _test(request: HttpRequest, hook: Webhook) -> None:
    lately = timezone.now() - TEST_EVERY
    if hook.paused_at is not None:
        messages.error(request, _("A paused webhook sends nothing."))
    elif hook.deliveries.filter(event=news.TEST, at__gt=lately).exists():
        messages.error(request, _("A test is under way; wait for it."))
    else:
        send_test(hook)
        messages.success(request, _("A test is on its way; reload to see its answer."))


def send_test(hook: Webhook) -> WebhookDelivery:
    """Make the delivery of a test, at once even where the webhook rests."""
    now = timezone.now()
    told = news.News(news.TEST, f"test {now:%Y%m%dT%H%M%S%f}", news.of_test(hook))
    news.order([(hook, told)])
    Webhook.objects.filter(pk=hook.pk).update(rests_until=now)
    jobs.tell()
    return hook.deliveries.get(about=told.about)


def _own_or_404(user: User, key: int) -> Webhook:
    rows = Webhook.objects.select_related("task")
    return get_object_or_404(rows, pk=key, user=user)
