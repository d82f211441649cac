"""Forms around tasks: a bundle, and the team to join with."""

from typing import Any

from django import forms

from leaderboard.teams.models import NAME_LENGTH, Team, User, check_display_name


class BundleForm(forms.Form):
    bundle = forms.FileField(
        label="Task bundle", help_text="A zip with task.yaml and the files it names."
    )


class JoinForm(forms.Form):
    """An existing team of the reader's, or the name of a new one."""

    team = forms.ModelChoiceField(
        Team.objects.none(), required=False, empty_label="a new team"
    )
    name = forms.CharField(
        max_length=NAME_LENGTH,
        required=False,
        label="Name of the new team",
        help_text="Shown on the board.",
        validators=[check_display_name],
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        teams = Team.objects.of(user)
        self.fields["team"].queryset = teams  # type: ignore[attr-defined]
        if not teams.exists():
            del self.fields["team"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        named = cleaned.get("team") or cleaned.get("name") or "name" in self.errors
        if not named:
            self.add_error("name", "Choose a team or name a new one.")
        return cleaned

    def chosen_team(self) -> Team:
        """The team to join with, founded if it is new.

        Raises ValidationError when the name is taken.
        """
        chosen: Team | None = self.cleaned_data.get("team")
        return chosen or Team.found(self.cleaned_data["name"], self.user)
