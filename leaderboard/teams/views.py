"""Pages of teams: one's own, one team with its members, and accepting a link."""

from collections.abc import Callable
from typing import Any

from allauth.account.models import EmailAddress
from allauth.core import ratelimit
from allauth.mfa.adapter import get_adapter
from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, loads
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from leaderboard.teams import accounts, creators, membership
from leaderboard.teams.forms import AffiliationsForm, FoundForm, NameForm
from leaderboard.teams.mail import RESULTS_SALT, SALT
from leaderboard.teams.models import Membership, Team, User
from leaderboard.teams.refusal import Refusal
from leaderboard.teams.requests import SignedInRequest
from leaderboard.web import languages
from leaderboard.web.access import LINK, SIGNED_IN, Access, access, or_404
from leaderboard.web.forms import form_page, form_response, posted_data, posted_key

INVITED = "invited to a team"


def _membership(user: Any, number: int) -> dict[str, Any]:
    return {"team": get_object_or_404(Team.objects.of(user), pk=number)}


MEMBER = Access("members of the team", _membership).signed_in


@form_page
@access(SIGNED_IN)
def teams(request: SignedInRequest) -> HttpResponse:
    """The reader's teams; a POST founds one."""
    form = FoundForm(posted_data(request)[0])
    if form.is_valid():
        try:
            team = Team.found(form.cleaned_data["name"], request.user)
        except ValidationError as error:
            form.add_error("name", error.messages)
        else:
            return redirect("team", team.pk)
    rows = Membership.objects.filter(user=request.user).select_related("team")
    context = {"form": form, "memberships": rows.order_by("team__name")}
    return form_response(request, "teams/list.html", context)


@form_page
@access(MEMBER)
def team(request: SignedInRequest, team: Team) -> HttpResponse:
    """A team for its members; what is done comes as POST with its `action`."""
    people = Membership.objects.filter(team=team).select_related("user")
    members = list(people.order_by("role", "user__name", "pk"))
    (mine,) = [member for member in members if member.user_id == request.user.pk]
    leads = membership.leads(mine, members)
    given = request.POST if request.POST.get("action") == "affiliations" else None
    form = AffiliationsForm(given, initial={"affiliations": team.affiliations})
    # What a leader typed and is refused stands in the form again.
    if request.method == "POST" and not (leads and form.errors):
        return _team_after_act(request, team)
    waiting = membership.open_invitations(team) if leads else []
    links = [
        (invitation, settings.SITE_URL + membership.address(invitation))
        for invitation in waiting
    ]
    context = {
        "team": team,
        "members": members,
        "mine": mine,
        "leads": leads,
        "only_leader": membership.only_leader(members),
        "roles": Membership.TeamRole.choices,
        "invitations": links,
        "form": form,
        "entries": team.participations.select_related("task").order_by("task__title"),
    }
    return form_response(request, "teams/team.html", context)


def _team_after_act(request: SignedInRequest, team: Team) -> HttpResponse:
    acts: dict[str, Callable[[SignedInRequest, Team], str]] = {
        "invite": _invite,
        "revoke": _revoke,
        "role": _role,
        "remove": _remove,
        "leave": _leave,
        "affiliations": _affiliations,
    }
    action = request.POST.get("action", "")
    if action not in acts:
        raise Http404
    try:
        messages.success(request, acts[action](request, team))
    except Refusal as reason:
        messages.error(request, str(reason))
        return redirect("team", team.pk)
    return redirect("teams") if action == "leave" else redirect("team", team.pk)


def _affiliations(request: SignedInRequest, team: Team) -> str:
    membership.require_leader(request.user, list(team.memberships.all()))
    form = AffiliationsForm(request.POST)
    if not form.is_valid():  # answered before, unless who leads has changed since
        raise Refusal(" ".join(map(str, form.errors["affiliations"])))
    team.affiliations = form.cleaned_data["affiliations"]
    team.save(update_fields=["affiliations"])
    return _("The affiliations are kept.")


def _invite(request: SignedInRequest, team: Team) -> str:
    membership.require_leader(request.user, list(team.memberships.all()))
    if not ratelimit.consume(request, action="team_invitation", user=request.user):
        raise Refusal(_("That were many links; wait a little."))
    membership.invite(team, request.user)
    return _("The link stands below: send it to one person.")


def _revoke(request: SignedInRequest, team: Team) -> str:
    membership.require_leader(request.user, list(team.memberships.all()))
    membership.revoke(team, posted_key(request, "pk"))
    return _("The invitation is taken back.")


def _role(request: SignedInRequest, team: Team) -> str:
    role = request.POST.get("role", "")
    member = membership.give_role(team, request.user, posted_key(request, "pk"), role)
    return _("%(name)s: %(role)s.") % {
        "name": member.user,
        "role": member.get_role_display(),
    }


def _remove(request: SignedInRequest, team: Team) -> str:
    member = membership.remove(team, request.user, posted_key(request, "pk"))
    return _("%(name)s is no longer in the team.") % {"name": member.user}


def _leave(request: SignedInRequest, team: Team) -> str:
    if "sure" not in request.POST:
        raise Refusal(_("Tick the box if you mean it."))
    membership.leave(team, request.user)
    return _("You left %(team)s.") % {"team": team}


@form_page
@access(LINK)
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """The page of an invitation; 404 for links we did not make, 410 for old ones.

    Whoever has no account yet finds the invitation again on the page of the account.
    """
    offer = or_404(membership.invitation_of(token))
    refused: Any = ""
    if request.method == "POST" and request.user.is_authenticated:
        try:
            membership.accept(offer, request.user)
        except Refusal as reason:
            refused = reason
        else:
            request.session.pop(INVITED, None)
            words = _("You are in %(team)s now.") % {"team": offer.team}
            messages.success(request, words)
            return redirect("team", offer.team_id)
    if request.user.is_anonymous and offer.is_open:
        request.session[INVITED] = token
    return _invitation_page(request, offer, refused)


def _invitation_page(request: HttpRequest, offer: Any, refused: Any) -> HttpResponse:
    user: Any = request.user
    signed_in = user.is_authenticated
    context = {
        "invitation": offer,
        "refused": refused,
        "members": offer.team.memberships.count(),
        "inside": signed_in and membership.membership(offer.team, user),
        "elsewhere": membership.conflicting_tasks(offer.team, user)
        if signed_in
        else [],
    }
    status = 200 if offer.is_open else 410
    if refused:
        status = 422
    return render(request, "teams/invitation.html", context, status=status)


@require_safe
@access(SIGNED_IN)
def profile(request: SignedInRequest) -> HttpResponse:
    """Name, mail and its language, password, two-factor, messages, teams.

    And an invitation that waits.
    """
    user = request.user
    addresses = EmailAddress.objects.filter(user=user, email__iexact=user.email)
    memberships = Membership.objects.filter(user=user).select_related("team")
    token = request.session.get(INVITED, "")
    offer = membership.invitation_of(token) if token else None
    context = {
        "confirmed": any(address.verified for address in addresses),
        "two_factor": get_adapter().is_mfa_enabled(user),
        "two_factor_needed": accounts.needs_second_factor(user),
        "mail_language": languages.mail_language(user),
        "memberships": memberships.order_by("team__name"),
        "invitation": offer if offer and offer.is_open else None,
        "token": token,
    }
    if creators.may_answer(user):
        context["creation_requests"] = creators.open_requests().count()
    return render(request, "teams/profile.html", context)


@form_page
@access(SIGNED_IN)
def name(request: SignedInRequest) -> HttpResponse:
    """The person's own name."""
    form = NameForm(posted_data(request)[0], initial={"name": request.user.name})
    if form.is_valid():
        request.user.name = form.cleaned_data["name"]
        request.user.save(update_fields=["name"])
        messages.success(request, _("Your name is kept."))
        return redirect("profile")
    return form_response(request, "teams/name.html", {"form": form})


class MailForm(forms.Form):
    wants_messages = forms.BooleanField(
        required=False, label=gettext_lazy("Mail me what organizers write to all")
    )
    wants_results = forms.BooleanField(
        required=False,
        label=gettext_lazy("Mail me when what I sent was scored, or could not be"),
    )


@form_page
@access(SIGNED_IN)
def mail_choice(request: SignedInRequest) -> HttpResponse:
    """The choice of the person who is signed in."""
    user = request.user
    initial = {name: getattr(user, name) for name in MailForm.base_fields}
    form = MailForm(posted_data(request)[0], initial=initial)
    if form.is_valid():
        for name, wanted in form.cleaned_data.items():
            setattr(user, name, wanted)
        user.save(update_fields=list(form.cleaned_data))
        messages.success(request, _("Your choice is kept."))
        return redirect("mail-choice")
    return render(request, "teams/mail_choice.html", {"form": form})


def _by_link(salt: str) -> Access:
    """Access by a link to switch mail off; the view is given the owner of the mail."""

    def find(_user: Any, token: str) -> dict[str, User]:
        try:
            return {"person": get_object_or_404(User, pk=loads(token, salt=salt))}
        except BadSignature:
            raise Http404 from None

    return Access(LINK.people, find)


@csrf_exempt  # mail programs post here in one click; the signed link is the proof
@form_page
@access(_by_link(SALT))
def messages_by_link(request: HttpRequest, person: User) -> HttpResponse:
    """Switch messages off by the link in one."""
    return _switch(request, person, "wants_messages", "teams/messages_off.html")


@csrf_exempt  # for the same reason
@form_page
@access(_by_link(RESULTS_SALT))
def results_by_link(request: HttpRequest, person: User) -> HttpResponse:
    """Switch mail about results off by the link in one."""
    return _switch(request, person, "wants_results", "teams/results_off.html")


def _switch(
    request: HttpRequest, person: User, field: str, template: str
) -> HttpResponse:
    """Switch mail off, or with `on` on again; reading the page changes nothing."""
    if request.method == "POST":
        setattr(person, field, "on" in request.POST)
        person.save(update_fields=[field])
    context = {"reader": person, "done": request.method == "POST"}
    return render(request, template, context)
