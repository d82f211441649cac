"""Sign-up with a display name."""

from allauth.account.forms import SignupForm as MailSignupForm
from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from leaderboard.teams.models import NAME_LENGTH, User, check_display_name


class SignupForm(MailSignupForm):
    """The account form with the name that other people see."""

    name = forms.CharField(
        max_length=NAME_LENGTH,
        validators=[check_display_name],
        label=_("Your name"),
        help_text=_("Shown to your team and to organizers."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    field_order = ("name", "email", "password1", "password2")

    def save(self, request: HttpRequest) -> User:
        user = super().save(request)
        if user is not None:
            user.name = " ".join(self.cleaned_data["name"].split())
            user.save(update_fields=["name"])
        return user


class NameForm(forms.Form):
    """The person's own name, afterwards."""

    name = forms.CharField(
        max_length=NAME_LENGTH,
        validators=[check_display_name],
        label=_("Your name"),
        help_text=_("Shown to your team and to organizers."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )

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
