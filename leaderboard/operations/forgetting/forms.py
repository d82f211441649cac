"""Deleting one's own account: typed and signed, not clicked by mistake."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.teams.models import User


class DeletionForm(forms.Form):
    mail = forms.CharField(
        label=gettext_lazy("Your email address"),
        help_text=gettext_lazy("Typed out, so that nothing happens by mistake."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_mail(self) -> str:
        mail = str(self.cleaned_data["mail"]).strip()
        if mail.casefold() != self.user.email.casefold():
            raise forms.ValidationError(_("That is not the address of this account."))
        return mail

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        if not self.user.check_password(password):
            raise forms.ValidationError(_("That is not your password."))
        return password
