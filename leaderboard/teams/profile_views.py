"""The account at one glance, and the name that others see."""

from allauth.account.models import EmailAddress
from allauth.mfa.adapter import get_adapter
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.teams import membership, two_factor
from leaderboard.teams.forms import NameForm
from leaderboard.teams.models import Membership
from leaderboard.teams.team_views import INVITED
from leaderboard.web import languages


@login_required
@require_safe
def profile(request: HttpRequest) -> HttpResponse:
    """Name, mail and its language, password, two-factor, letters, teams.

    And an invitation that waits.
    """
    user = request.user
    addresses = EmailAddress.objects.filter(user=user, email__iexact=user.email)
    mine = Membership.objects.filter(user=user).select_related("team")
    token = request.session.get(INVITED, "")
    found = membership.invitation_of(token) if token else None
    context = {
        "confirmed": any(one.verified for one in addresses),
        "two_factor": get_adapter().is_mfa_enabled(user),
        "two_factor_needed": two_factor.needed_by(user),
        "mail_language": languages.of_mail(user),
        "memberships": mine.order_by("team__name"),
        "invitation": found if found and found.is_open else None,
        "token": token,
    }
    return render(request, "teams/profile.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def name(request: HttpRequest) -> HttpResponse:
    """The person's own name."""
    form = NameForm(request.POST or None, initial={"name": request.user.name})
    if request.method == "POST" and form.is_valid():
        request.user.name = form.cleaned_data["name"]
        request.user.save(update_fields=["name"])
        messages.success(request, _("Your name is kept."))
        return redirect("profile")
    status = 422 if form.errors else 200
    return render(request, "teams/name.html", {"form": form}, status=status)
