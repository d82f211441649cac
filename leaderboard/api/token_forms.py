"""The form of a new token."""

from datetime import timedelta
from typing import Any

from django import forms
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.api.models import Scope
from leaderboard.api.tokens import Wanted
from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import visible_tasks
from leaderboard.teams.models import User, check_display_name

DAYS = (
    ("30", _("30 days")),
    ("90", _("90 days")),
    ("365", _("a year")),
    ("", _("until I revoke it")),
)


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=60,
        label=_("Name"),
        help_text=_("What will use it, so that you know it again."),
        validators=[check_display_name],
    )
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices,
        initial=[Scope.READ],
        label=_("What it may do"),
        widget=forms.CheckboxSelectMultiple,
    )
    task = forms.ModelChoiceField(
        Task.objects.none(),
        required=False,
        label=_("Task"),
        empty_label=_("all tasks"),
        help_text=_("A token of one task finds nothing of the others."),
    )
    days = forms.ChoiceField(
        choices=DAYS, initial="90", required=False, label=_("Good for")
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        mine = Q(participations__participants__user=user) | Q(organizers=user)
        tasks = visible_tasks(user).filter(mine).distinct().order_by("title")
        self.fields["task"].queryset = tasks  # type: ignore[attr-defined]

    def wanted(self) -> Wanted:
        data = self.cleaned_data
        days = int(data["days"] or 0)
        return Wanted(
            name=data["name"],
            scopes=data["scopes"],
            task=data["task"],
            expires_at=timezone.now() + timedelta(days=days) if days else None,
        )
