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


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def listing(request: HttpRequest) -> HttpResponse:
    """A new token is shown in the answer to the form and nowhere else."""
    posted = request.POST if request.method == "POST" else None
    form = tokens.TokenForm(request.user, posted)
    made, text = None, ""
    if form.is_valid():
        try:
            made, text = form.make()
            form = tokens.TokenForm(request.user)
        except tokens.TooManyTokens:
            form.add_error(None, _("You have too many tokens: revoke one first."))
    alive = Token.objects.filter(user=request.user, revoked_at=None)
    context = {
        "form": form,
        "made": made,
        "text": text,
        "tokens": alive.select_related("task"),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "teams/tokens.html", context, status=status)


@require_POST
@login_required
def revoke(request: HttpRequest, key: int) -> HttpResponse:
    token = get_object_or_404(Token, pk=key, user=request.user)
    tokens.revoke(token)
    messages.success(
        request, _("The token “%(name)s” is revoked.") % {"name": token.name}
    )
    return redirect("tokens")
