"""Sign-up with a display name."""

from typing import Any

from allauth.account.forms import SignupForm as MailSignupForm
from allauth.socialaccount.forms import SignupForm as SocialSignupForm
from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from leaderboard.teams.models import NAME_LENGTH, User, check_display_name
from leaderboard.teams.names import MOST_AFFILIATIONS, check_seen


def name_field() -> forms.CharField:
    """The name that other people see."""
    return forms.CharField(
        max_length=NAME_LENGTH,
        validators=[check_display_name],
        label=_("Your name"),
        help_text=_("Shown to your team and to organizers."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class NamedSignup:
    """A sign-up form whose account gets the name of its field."""

    cleaned_data: dict[str, Any]

    def save(self, request: HttpRequest) -> User:
        user: User = super().save(request)  # type: ignore[misc]
        if user is not None:
            user.name = " ".join(self.cleaned_data["name"].split())
            user.save(update_fields=["name"])
        return user


class SignupForm(NamedSignup, MailSignupForm):
    """The account form with the name that other people see."""

    name = name_field()
    field_order = ("name", "email", "password1", "password2")

    def clean(self) -> dict[str, Any]:
        """Report passwords that differ, also where the first is no good."""
        cleaned: dict[str, Any] = super().clean()
        first, second = (self.data.get(name) for name in ("password1", "password2"))
        if "password1" in self.errors and second and first != second:
            self.add_error("password2", _("This is not the password above."))
        return cleaned


class IdentitySignupForm(NamedSignup, SocialSignupForm):
    """The account form of somebody who came from an identity provider."""

    name = name_field()
    field_order = ("name", "email")


class NameForm(forms.Form):
    """The person's own name, afterwards."""

    name = name_field()

    def clean_name(self) -> str:
        return " ".join(self.cleaned_data["name"].split())


class FoundForm(forms.Form):
    """A new team."""

    name = forms.CharField(
        max_length=NAME_LENGTH,
        validators=[check_display_name],
        label=_("Name of the new team"),
        help_text=_("Shown on the boards of the tasks it takes part in."),
    )


class AffiliationsForm(forms.Form):
    """A form for where the people of a team work, as papers print it."""

    affiliations = forms.CharField(
        max_length=MOST_AFFILIATIONS,
        required=False,
        validators=[check_seen],
        label=_("Affiliations"),
        help_text=_(
            "Universities or companies, separated by semicolons. Shown with the team's "
            "results and in the papers of its tasks; not where its name is hidden."
        ),
    )

    def clean_affiliations(self) -> str:
        named = self.cleaned_data["affiliations"].split(";")
        return "; ".join(filter(None, (" ".join(name.split()) for name in named)))
