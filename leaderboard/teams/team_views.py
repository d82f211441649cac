"""Pages of teams: one's own, one team with its members, and accepting a link."""

from collections.abc import Callable
from typing import Any

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.teams import membership
from leaderboard.teams.forms import FoundForm
from leaderboard.teams.models import Membership, Team

METHODS = ["GET", "HEAD", "POST"]
FAILED = (membership.NotPossible, membership.NotInvited)
INVITED = "invited to a team"


@login_required
@require_http_methods(METHODS)
def teams(request: HttpRequest) -> HttpResponse:
    """The reader's teams; a POST founds one."""
    form = FoundForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            team = Team.found(form.cleaned_data["name"], request.user)
        except ValidationError as error:
            form.add_error("name", error.messages)
        else:
            return redirect("team", team.pk)
    mine = Membership.objects.filter(user=request.user).select_related("team")
    context = {"form": form, "memberships": mine.order_by("team__name")}
    status = 422 if form.errors else 200
    return render(request, "teams/list.html", context, status=status)


@login_required
@require_http_methods(METHODS)
def team(request: HttpRequest, number: int) -> HttpResponse:
    """A team for its members; what is done comes as POST with its `action`."""
    found = get_object_or_404(Team.objects.of(request.user), pk=number)
    if request.method == "POST":
        return _acted(request, found)
    people = Membership.objects.filter(team=found).select_related("user")
    everybody = list(people.order_by("role", "user__name", "pk"))
    (mine,) = [one for one in everybody if one.user_id == request.user.pk]
    leads = membership.leads(mine, everybody)
    waiting = membership.open_invitations(found) if leads else []
    links = [(one, settings.SITE_URL + membership.address(one)) for one in waiting]
    context = {
        "team": found,
        "members": everybody,
        "mine": mine,
        "leads": leads,
        "roles": Membership.Role.choices,
        "invitations": links,
        "entries": found.participations.select_related("task").order_by("task__title"),
    }
    return render(request, "teams/team.html", context)


def _acted(request: HttpRequest, found: Team) -> HttpResponse:
    acts: dict[str, Callable[[HttpRequest, Team], str]] = {
        "invite": _invite,
        "revoke": _revoke,
        "role": _role,
        "remove": _remove,
        "leave": _leave,
    }
    action = request.POST.get("action", "")
    if action not in acts:
        raise Http404
    try:
        messages.success(request, acts[action](request, found))
    except FAILED as reason:
        messages.error(request, str(reason))
        return redirect("team", found.pk)
    return redirect("teams") if action == "leave" else redirect("team", found.pk)


def _invite(request: HttpRequest, found: Team) -> str:
    _require_leader(request, found)
    if not ratelimit.consume(request, action="team_invitation", user=request.user):
        raise membership.NotInvited(_("That were many links; wait a little."))
    membership.invite(found, request.user)
    return _("The link stands below: send it to one person.")


def _revoke(request: HttpRequest, found: Team) -> str:
    _require_leader(request, found)
    membership.revoke(found, _number(request))
    return _("The invitation is taken back.")


def _role(request: HttpRequest, found: Team) -> str:
    role = request.POST.get("role", "")
    membership.give_role(found, request.user, _number(request), role)
    return _("Done.")


def _remove(request: HttpRequest, found: Team) -> str:
    membership.remove(found, request.user, _number(request))
    return _("Done.")


def _leave(request: HttpRequest, found: Team) -> str:
    if "sure" not in request.POST:
        raise membership.NotPossible(_("Tick the box if you mean it."))
    membership.leave(found, request.user)
    return _("You left %(team)s.") % {"team": found}


def _require_leader(request: HttpRequest, found: Team) -> None:
    everybody = list(found.memberships.all())
    mine = membership.membership(found, request.user)
    if mine is None or not membership.leads(mine, everybody):
        raise membership.NotPossible(_("Only a leader of the team can do that."))


def _number(request: HttpRequest) -> int:
    text = request.POST.get("pk", "")
    return int(text) if text.isdecimal() and len(text) < 19 else 0


@require_http_methods(METHODS)
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """What one is asked to join; 404 for links we did not make, 410 for old ones.

    Whoever has no account yet finds the invitation again on the page of the account.
    """
    found = membership.invitation_of(token)
    if found is None:
        raise Http404
    refused: Any = ""
    if request.method == "POST" and request.user.is_authenticated:
        try:
            membership.accept(found, request.user)
        except membership.NotInvited as reason:
            refused = reason
        else:
            request.session.pop(INVITED, None)
            words = _("You are in %(team)s now.") % {"team": found.team}
            messages.success(request, words)
            return redirect("team", found.team_id)
    if request.user.is_anonymous and found.is_open:
        request.session[INVITED] = token
    return _invitation_page(request, found, refused)


def _invitation_page(request: HttpRequest, found: Any, refused: Any) -> HttpResponse:
    known = request.user.is_authenticated
    context = {
        "invitation": found,
        "refused": refused,
        "members": found.team.memberships.count(),
        "inside": known and membership.membership(found.team, request.user),
        "elsewhere": membership.elsewhere(found.team, request.user) if known else [],
    }
    status = 200 if found.is_open else 410
    if refused:
        status = 422
    return render(request, "teams/invitation.html", context, status=status)
