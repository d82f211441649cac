"""A person's own data: what there is, a copy of it, and its end."""

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.operations.forgetting.forms import DeletionForm
from leaderboard.operations.forgetting.person import (
    OnlyOwner,
    forget,
    tasks_owned_alone,
)
from leaderboard.operations.forgetting.portrait import portrait


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def own_data(request: HttpRequest) -> HttpResponse:
    """What is kept, and the form that ends it."""
    asked = request.method == "POST"
    # Whoever found an open browser must not try passwords here either.
    if asked and (refused := _too_often(request)):
        return refused
    form = DeletionForm(request.user, request.POST if asked else None)
    if asked and form.is_valid():
        try:
            forget(request.user)
        except OnlyOwner:
            form.add_error(None, _("Make somebody else an owner of your tasks first."))
        else:
            logout(request)
            messages.success(request, _("Your account is deleted."))
            return redirect("home")
    context = {"form": form, "owned": tasks_owned_alone(request.user)}
    status = 422 if asked else 200
    return render(request, "account/own_data.html", context, status=status)


def _too_often(request: HttpRequest) -> HttpResponse | None:
    refused: HttpResponse | None = ratelimit.consume_or_429(
        request, action="reauthenticate", user=request.user
    )
    return refused


@login_required
@never_cache
@require_safe
def own_data_file(request: HttpRequest) -> HttpResponse:
    options = {"ensure_ascii": False, "indent": 2}
    answer = JsonResponse(portrait(request.user), json_dumps_params=options)
    answer["Content-Disposition"] = 'attachment; filename="plumbline-account.json"'
    return answer
