"""A named board: which measures, which one ranks, over which test sets."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.organize import tables
from leaderboard.organize.measures import MeasuresForm
from leaderboard.organize.seen import ShowsValues
from leaderboard.tasks.models import Task
from leaderboard.teams.models import check_display_name

MOST_BOARDS = 12


class BoardForm(ShowsValues, MeasuresForm):
    """`known` is the table of the board that is changed."""

    title = forms.CharField(
        max_length=120, label=gettext_lazy("Title"), validators=[check_display_name]
    )
    name = forms.CharField(
        max_length=40,
        label=gettext_lazy("Name"),
        validators=[tables.check_name],
        help_text=gettext_lazy("As in the address: ?board=name."),
    )
    measures = forms.CharField(
        required=False,
        label=gettext_lazy("Measures shown"),
        help_text=gettext_lazy(
            "One a line, in order; empty for those of the main board."
        ),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    headline = forms.CharField(
        label=gettext_lazy("Measure that ranks"),
        widget=forms.TextInput(attrs={"list": "measure-names"}),
    )
    test_sets = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Test sets"),
        help_text=gettext_lazy("The mean over those chosen ranks; none for all."),
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, task: Task, known: dict[str, Any] | None, *args: Any) -> None:
        super().__init__(*args)
        self.task, self.known, self.scorer = task, known, task.scorer
        field: Any = self.fields["test_sets"]
        field.choices = [(one.name, one.title) for one in task.test_sets.all()]
        self.initial = {"headline": task.headline}
        if known is not None:
            self.shows(known)
            measures = "\n".join(known.get("measures", ()))
            self.initial = {**known, "measures": measures}
            self.fields["name"].disabled = True

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if self.known is None and name in {one["name"] for one in self.task.boards}:
            raise ValidationError(_("There is a board of that name."))
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.known is None and len(self.task.boards) >= MOST_BOARDS:
            self.add_error(None, _("A task has at most 12 boards beside the main one."))
        return cleaned

    def table(self) -> dict[str, Any]:
        names = ("name", "title", "measures", "headline", "test_sets")
        table = {name: self.cleaned_data[name] for name in names}
        return table | {"measures": list(table["measures"])}
