"""What a team does about itself in a task."""

from django import forms
from django.utils.translation import gettext_lazy as _

from leaderboard.teams.models import NAME_LENGTH


class WithdrawForm(forms.Form):
    """Leaving is confirmed, so that no slip of the finger does it."""

    sure = forms.BooleanField(
        label=_("Yes, withdraw our team from this task"),
        error_messages={"required": _("Tick the box if your team means it.")},
    )


class ProposalForm(forms.Form):
    """Which team to merge with, and which of the two entries stays."""

    WHICH = (("ours", _("Our team stays")), ("theirs", _("Their team stays")))

    team = forms.CharField(
        max_length=NAME_LENGTH,
        label=_("Name of the other team"),
        help_text=_("As it stands on the board. A leader of it is asked to agree."),
    )
    which = forms.ChoiceField(choices=WHICH, label=_("Name on the board afterwards"))
