"""Organizers of a task: roles, invitations and their acceptance."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from leaderboard.mail.models import MOST_TRIES, Mail
from leaderboard.organize.forms import FormPage, refusals_in
from leaderboard.tasks import organizers as roles
from leaderboard.tasks.access import OWN, row_of
from leaderboard.tasks.models import Invitation, Organizer, Task
from leaderboard.tasks.participation import competes_with
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.teams.requests import SignedInRequest
from leaderboard.web.access import LINK, access, or_404
from leaderboard.web.addresses import absolute
from leaderboard.web.forms import form_page

ORGANIZERS = Organizer.objects.select_related("task", "user")
INVITATIONS = Invitation.objects.select_related("task", "by")


class InvitationForm(forms.Form):
    email = forms.EmailField(
        label=gettext_lazy("Mail address"),
        help_text=gettext_lazy(
            "Of an account here, or of one that is still to be made with it."
        ),
    )
    role = forms.ChoiceField(
        choices=Organizer.Role.choices,
        initial=Organizer.Role.EDITOR,
        label=gettext_lazy("Role"),
    )


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Organizer.Role.choices, label=gettext_lazy("Role"))


class OrganizersPage(FormPage):
    """The organizers and open invitations, and the form that invites somebody."""

    mark = OWN
    form_class = InvitationForm
    of_row = False
    template_name = "organize/organizers.html"
    title = gettext_lazy("Organizers")
    button = gettext_lazy("Send the invitation")
    saved = gettext_lazy("The invitation is on its way.")
    style = "people.css"
    refused_at = "email"

    def save(self, form: InvitationForm) -> None:
        _invite(self.request, self.task, **form.cleaned_data)

    def context(self, form: InvitationForm) -> dict[str, Any]:
        task = self.task
        organizers = Organizer.objects.filter(task=task).select_related("user")
        invitations = Invitation.objects.filter(
            task=task, accepted_at=None, revoked_at=None
        ).select_related("by")
        unsent = Mail.objects.filter(sent_at=None, tried__gte=MOST_TRIES)
        refused = unsent.filter(kind=roles.INVITED, about__in=invitations)
        refused_ids = set(refused.values_list("about", flat=True))
        return {
            "organizers": [
                (organizer, competes_with(task, organizer.user))
                for organizer in organizers.order_by("user__email")
            ],
            "invitations": [
                (i, absolute(roles.address(i)), i.pk in refused_ids)
                for i in invitations
            ],
            "roles": Organizer.Role.choices,
        }


def _invite(request: SignedInRequest, task: Task, email: str, role: str) -> None:
    """Raises Refusal. Whoever invites a participant is told so."""
    invitation = roles.invite(task, email, role, request.user)
    user = User.objects.filter(email__iexact=invitation.email).first()
    entry = user and competes_with(task, user)
    if entry:
        values = {"email": invitation.email, "team": entry.team}
        words = _(
            "%(email)s is in %(team)s, which competes. What the team sends after the "
            "invitation is accepted is marked and not ranked."
        )
        messages.warning(request, words % values)


@require_POST
@access(row_of(OWN, ORGANIZERS, "organizer", "pk"))
def change(request: HttpRequest, organizer: Organizer) -> HttpResponse:
    """Give another role, or take all with `remove`."""
    form = RoleForm(request.POST)
    if "remove" not in request.POST and not form.is_valid():
        raise Http404
    with refusals_in(request):
        if "remove" in request.POST:
            roles.remove(organizer)
            done = _("%(name)s does not organize this task any more.")
        else:
            roles.change_role(organizer, form.cleaned_data["role"])
            done = _("%(name)s has another role now.")
        messages.success(request, done % {"name": organizer.user})
        if organizer.user == request.user:
            return redirect(organizer.task)  # one's own role may not reach further
    return redirect("organize-organizers", organizer.task.slug)


@require_POST
@access(row_of(OWN, INVITATIONS, "invitation", "pk"))
def revoke(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    with refusals_in(request):
        roles.revoke(invitation)
        messages.success(request, _("The invitation is taken back."))
    return redirect("organize-organizers", invitation.task.slug)


@form_page
@access(LINK.signed_in)
def invitation(request: SignedInRequest, token: str) -> HttpResponse:
    """Accept an invitation; 404 for links we did not make, 410 for old ones."""
    invited = or_404(roles.invitation_of(token))
    refused: Any = ""
    mine = roles.meant_for(request.user, invited)
    entry = competes_with(invited.task, request.user) if mine else None
    if request.method == "POST":
        try:
            roles.accept(invited, request.user)
        except Refusal as reason:
            refused = reason
        else:
            messages.success(request, _("You are one of the organizers now."))
            if entry:
                values = {"team": entry.team}
                words = _(
                    "What %(team)s sends to this task from now on is marked as that of "
                    "an organizers' team and not ranked."
                )
                messages.warning(request, words % values)
            return redirect("organize", invited.task.slug)
    context = {"invitation": invited, "mine": mine, "refused": refused, "entry": entry}
    status = 200 if invited.is_open else 410
    return render(request, "organize/invitation.html", context, status=status)
