"""The page of a person's tokens: make one, see which there are, revoke one."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.api import tokens
from leaderboard.api.models import Token
from leaderboard.api.token_forms import TokenForm


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def listing(request: HttpRequest) -> HttpResponse:
    """A new token is shown in the answer to the form and nowhere else."""
    form = TokenForm(request.user, request.POST if request.method == "POST" else None)
    made, text = None, ""
    if request.method == "POST" and form.is_valid():
        try:
            made, text = tokens.make(request.user, form.wanted())
            form = TokenForm(request.user)
        except tokens.TooManyTokens:
            form.add_error(None, _("You have too many tokens: revoke one first."))
    context = {
        "form": form,
        "made": made,
        "text": text,
        "tokens": Token.objects.filter(
            user=request.user, revoked_at=None
        ).select_related("task"),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "teams/tokens.html", context, status=status)


@require_POST
@login_required
def revoke(request: HttpRequest, key: int) -> HttpResponse:
    found = get_object_or_404(Token, pk=key, user=request.user)
    tokens.revoke(found)
    messages.success(
        request, _("The token “%(name)s” is revoked.") % {"name": found.name}
    )
    return redirect("tokens")
