"""The pages of a person's webhooks: add one, see what was delivered, pause, delete."""

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_POST,
    require_safe,
)

from leaderboard.extras.webhooks import events, jobs, signatures
from leaderboard.extras.webhooks.forms import TooManyWebhooks, WebhookForm
from leaderboard.extras.webhooks.models import SHOWN, TEST, Webhook, WebhookDelivery
from leaderboard.teams.models import User
from leaderboard.web.access import SIGNED_IN, Access, access
from leaderboard.web.forms import form_page, form_response, posted

TEST_EVERY = timedelta(seconds=10)


@never_cache
@form_page
@access(SIGNED_IN)
def listing(request: HttpRequest) -> HttpResponse:
    """The secret of a new one is shown in the answer to the form and nowhere else."""
    form = WebhookForm(request.user, *posted(request))
    made, secret = None, ""
    if form.is_valid():
        try:
            made = form.save()
            secret = signatures.secret_of(made)
            form = WebhookForm(request.user)
        except TooManyWebhooks as refusal:
            form.add_error(None, refusal.sentence)
    hooks = Webhook.objects.filter(user=request.user).select_related("task")
    context = {"form": form, "made": made, "secret": secret, "hooks": hooks}
    return form_response(request, "webhooks/list.html", context)


def _own(user: User, key: int) -> dict[str, Webhook]:
    rows = Webhook.objects.select_related("task")
    return {"hook": get_object_or_404(rows, pk=key, user=user)}


OWN_WEBHOOK = Access("the owner of the webhook", _own).signed_in


@require_safe
@access(OWN_WEBHOOK)
def one(request: HttpRequest, hook: Webhook) -> HttpResponse:
    """One webhook with its last deliveries."""
    context = {"hook": hook, "log": hook.deliveries.all()[:SHOWN]}
    return render(request, "webhooks/one.html", context)


@require_POST
@access(OWN_WEBHOOK)
def change(request: HttpRequest, hook: Webhook) -> HttpResponse:
    """Pause it, let it run again, send a test, delete it."""
    action = request.POST.get("action", "")
    if action == "delete":
        hook.delete()
        messages.success(request, _("The webhook is deleted."))
        return redirect("webhooks")
    if action == "pause" and hook.pause(Webhook.Why.OWNER):
        messages.success(request, _("The webhook is paused; what waited is dropped."))
    if action == "resume":
        hook.resume()
        messages.success(request, _("The webhook runs again."))
    if action == "test":
        lately = timezone.now() - TEST_EVERY
        if hook.paused_at is not None:
            messages.error(request, _("A paused webhook sends nothing."))
        elif hook.deliveries.filter(event=TEST, at__gt=lately).exists():
            messages.error(request, _("A test is under way; wait for it."))
        else:
            send_test(hook)
            messages.success(
                request, _("A test is on its way; reload to see its answer.")
            )
    return redirect("webhook", hook.pk)


def send_test(hook: Webhook) -> WebhookDelivery:
    row = events.order_test(hook)
    jobs.enqueue()
    return row
