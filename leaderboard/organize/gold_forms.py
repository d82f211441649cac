"""Forms around gold revisions: corrected files with their notes, and going live."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from leaderboard.submissions.forms import FilePerTestSet
from leaderboard.tasks.models import Task

LONGEST_NOTE = 1000


class GoldForm(FilePerTestSet):
    """Corrected gold for one or several test sets; the others are taken over."""

    note = forms.CharField(
        label=_("Internal note"),
        help_text=_("For organizers only: what was wrong, who found it."),
        max_length=LONGEST_NOTE,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    public_note = forms.CharField(
        label=_("Public note"),
        help_text=_(
            "Everybody reads it once the revision is live; you may change it until "
            "then. It must not tell what is in the gold."
        ),
        max_length=LONGEST_NOTE,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ask_files(task.test_sets.all())

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not self.files_by_test_set():
            first = next(iter(self.test_sets), None)
            self.add_error(first, _("Choose a corrected file for a test set."))
        return cleaned


class LiveForm(forms.Form):
    """The last words before a revision is live, and the failures that are accepted."""

    public_note = forms.CharField(
        label=_("Public note"),
        help_text=_("What changed and why, for the public log. Required."),
        max_length=LONGEST_NOTE,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    accepted = forms.MultipleChoiceField(
        label=_("Systems that leave the board"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, failing: Mapping[str, str], *args: Any, **kwargs: Any) -> None:
        """`failing`: names by id of submission."""
        super().__init__(*args, **kwargs)
        self.failing = failing
        self.fields["accepted"].choices = list(failing.items())  # type: ignore[attr-defined]

    def clean_accepted(self) -> list[str]:
        accepted: list[str] = self.cleaned_data["accepted"]
        left = [name for pk, name in self.failing.items() if pk not in accepted]
        if left:
            said = _("Confirm each of them by its name, or score it again: %(names)s")
            raise forms.ValidationError(said % {"names": ", ".join(left)})
        return accepted
