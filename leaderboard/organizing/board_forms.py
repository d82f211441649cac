"""A named board: which measures, which one ranks, over which test sets."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.organizing import tables
from leaderboard.tasks.models import Task
from leaderboard.teams.models import check_display_name
from scoring.measures import Measure

MOST_BOARDS = 12


class BoardForm(forms.Form):
    """`known` is the table of the board that is changed."""

    title = forms.CharField(
        max_length=120, label=gettext_lazy("Title"), validators=[check_display_name]
    )
    name = forms.CharField(
        max_length=40, label=gettext_lazy("Name"), validators=[tables.check_name],
        help_text=gettext_lazy("As in the address: ?board=name."),
    )  # fmt: skip
    measures = forms.CharField(
        required=False, label=gettext_lazy("Measures shown"),
        help_text=gettext_lazy(
            "One a line, in order; empty for those of the main board."
        ),
        widget=forms.Textarea(attrs={"rows": 4}),
    )  # fmt: skip
    headline = forms.CharField(
        label=gettext_lazy("Measure that ranks"),
        widget=forms.TextInput(attrs={"list": "measure-names"}),
    )
    test_sets = forms.MultipleChoiceField(
        required=False, label=gettext_lazy("Test sets"),
        help_text=gettext_lazy("The mean over those chosen ranks; none for all."),
        widget=forms.CheckboxSelectMultiple,
    )  # fmt: skip

    def __init__(self, task: Task, known: dict[str, Any] | None, *args: Any) -> None:
        super().__init__(*args)
        self.task, self.known = task, known
        field: Any = self.fields["test_sets"]
        field.choices = [(one.name, one.title) for one in task.test_sets.all()]
        self.initial = {"headline": task.headline}
        if known is not None:
            measures = "\n".join(known.get("measures", ()))
            self.initial = {**known, "measures": measures}
            self.fields["name"].disabled = True

    @property
    def fixed_measures(self) -> Sequence[Measure]:
        """Those that need no tag, for the list beside the form."""
        return self.task.scorer.measures(())

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if self.known is None and name in {one["name"] for one in self.task.boards}:
            raise ValidationError(_("There is a board of that name."))
        return name

    def clean_measures(self) -> list[str]:
        lines = self.cleaned_data["measures"].splitlines()
        found = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
        for name in found:
            self._require_measure(name)
        return found

    def clean_headline(self) -> str:
        name = str(self.cleaned_data["headline"]).strip()
        self._require_measure(name)
        return name

    def _require_measure(self, name: str) -> None:
        try:
            self.task.scorer.measure(name)
        except KeyError:
            known = ", ".join(one.name for one in self.task.scorer.measures(()))
            said = _("There is no measure “%(name)s”; expected one of %(known)s.")
            raise ValidationError(said % {"name": name, "known": known}) from None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.known is None and len(self.task.boards) >= MOST_BOARDS:
            self.add_error(None, _("A task has at most 12 boards beside the main one."))
        return cleaned

    def table(self) -> dict[str, Any]:
        names = ("name", "title", "measures", "headline", "test_sets")
        return {name: self.cleaned_data[name] for name in names}
