"""Forms around tasks: a bundle, and the team to join with."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks.models import Task
from leaderboard.tasks.questions import RegistrationForm
from leaderboard.teams.models import NAME_LENGTH, Team, User, check_display_name
from leaderboard.teams.names import name_key
from leaderboard.web.forms import UploadField


class BundleForm(forms.Form):
    bundle = UploadField(
        label=_("Task bundle"), help_text=_("A zip with task.yaml and what it names.")
    )


class JoinForm(RegistrationForm):
    """A team of the reader's or the name of a new one, answers, and the terms."""

    team = forms.ModelChoiceField(
        Team.objects.none(),
        required=False,
        label=_("Team"),
        empty_label=_("a new team"),
    )
    name = forms.CharField(
        max_length=NAME_LENGTH,
        required=False,
        label=_("Name of the new team"),
        help_text=_("Shown on the board."),
        validators=[check_display_name],
    )

    anonymous = forms.BooleanField(
        required=False,
        label=_("Hide our name until the end of the task"),
        help_text=_("Others read “Anonymous” and a number. Organizers see the name."),
    )

    accept_terms = forms.BooleanField(
        label=_("We accept the terms of this task"),
        error_messages={"required": _("A team takes part only under the terms.")},
    )

    def __init__(self, user: User, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if not task.allows_anonymous:
            del self.fields["anonymous"]
        if not task.terms:
            del self.fields["accept_terms"]
        self.ask(task.registration())
        if task.terms:  # below the questions
            self.fields["accept_terms"] = self.fields.pop("accept_terms")
        teams = Team.objects.of(user)
        self.fields["team"].queryset = teams  # type: ignore[attr-defined]
        if not teams:
            del self.fields["team"]
        elif len(teams) == 1:
            self.fields["team"].initial = teams[0]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        named = cleaned.get("team") or cleaned.get("name") or "name" in self.errors
        if not named:
            chooses = "team" in self.fields
            wanted = _("Choose a team or name a new one.")
            self.add_error("name", wanted if chooses else _("Give the team a name."))
        if cleaned.get("team") and cleaned.get("name"):
            sentence = _("Choose your team, or “a new team” for one of that name.")
            self.add_error("team", sentence)
        return cleaned

    def conditions(self) -> dict[str, Any]:
        """The arguments of `join` that the form asked for."""
        return {
            "anonymous": self.cleaned_data.get("anonymous", False),
            "accepts_terms": self.cleaned_data.get("accept_terms", False),
            "answers": self.facts(),
        }

    def chosen_team(self) -> Team:
        """The team to join with, founded if it is new.

        Raises ValidationError when the name is taken.
        """
        chosen: Team | None = self.cleaned_data.get("team")
        if chosen is not None:
            return chosen
        name = self.cleaned_data["name"]
        own = Team.objects.of(self.user).filter(key=name_key(name)).first()
        if own is not None:
            sentence = _(
                "“%(name)s” is a team of yours: choose it in place of a new one. "
                "Programs send its number, team: %(number)s, in place of the name."
            )
            about = {"name": own.name, "number": own.pk}
            raise ValidationError({"name": sentence % about})
        return Team.found(name, self.user)


class WithdrawForm(forms.Form):
    """A form that confirms leaving, so that no slip of the finger does it."""

    sure = forms.BooleanField(
        label=_("Yes, withdraw our team from this task"),
        error_messages={"required": _("Tick the box if your team means it.")},
    )
