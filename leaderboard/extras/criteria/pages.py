"""The organizers' page of combinations: a list of the task, and the form of one."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.extension.forms import MeasuresField, MeasuresForm, PartForm, PartsPage
from leaderboard.extension.models import Task
from leaderboard.extras.criteria.bundle import MOST
from leaderboard.extras.criteria.combination import fits
from leaderboard.extras.criteria.models import Combination

LEAST = 2  # measures


class WeightsField(forms.CharField):
    """Numbers in one line, separated by commas or blanks; or by semicolons, and then
    a comma is a decimal one."""

    def __init__(self, *, encoder: Any = None, decoder: Any = None, **kwargs: Any):
        super().__init__(**kwargs)

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, list):
            return ", ".join(f"{weight:.15g}" for weight in value)
        return value

    def to_python(self, value: Any) -> list[float]:  # type: ignore[override]
        text = str(super().to_python(value))
        if ";" in text:
            parts = text.replace(",", ".").split(";")
        else:
            parts = text.replace(",", " ").split()
        try:
            weights = [float(part) for part in parts if part.strip()]
        except ValueError:
            raise ValidationError(_("Write numbers, as in “2, 1”.")) from None
        if not all(0 < weight <= MOST for weight in weights):
            raise ValidationError(_("Write numbers above 0, up to a million."))
        return weights

    def has_changed(self, initial: Any, data: Any) -> bool:
        return self.prepare_value(initial or []) != self.prepare_value(data or [])


class CombinationForm(MeasuresForm, PartForm):
    name_is_taken = gettext_lazy("There is a combination of that name.")
    list_is_full = gettext_lazy("A task has at most 12 combinations.")

    class Meta:
        model = Combination
        fields = ("title", "name", "way", "measures", "weights")
        field_classes = {"measures": MeasuresField, "weights": WeightsField}
        widgets = {"weights": forms.TextInput}
        help_texts = {
            "weights": gettext_lazy(
                "One for each measure, in their order, as “2, 1”. Empty where all "
                "weigh the same."
            ),
        }

    def __init__(self, task: Task, *data: Any, name: str = "") -> None:
        super().__init__(task, *data, name=name)
        self.scorer = task.scorer
        self.offer_measures()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        measures, weights = cleaned.get("measures"), cleaned.get("weights")
        if measures is not None and len(set(measures)) < LEAST:
            self.add_error("measures", _("Choose two measures or more."))
        elif measures is not None and weights and len(weights) != len(measures):
            sentence = _("There are %(n)s measures: write as many weights, or none.")
            self.add_error("weights", sentence % {"n": len(measures)})
        elif measures is not None and cleaned.get("way"):
            up = [self.scorer.measure(measure).higher_is_better for measure in measures]
            if not fits(cleaned["way"], up):
                self.add_error(
                    "way", _("A plain mean needs measures of one direction.")
                )
        return cleaned


class CombinationsPage(PartsPage):
    form_class = CombinationForm
    address = "tasks/<slug:slug>/organize/combinations"
    names = (
        "organize-combinations",
        "organize-combination",
        "organize-combination-change",
    )
    title = gettext_lazy("Combinations of measures")
    lead = gettext_lazy(
        "Several measures in one rank, with its range and an interval. Each is a page "
        "below every board. Declare it before anybody knows whom it favours."
    )
    all_parts = gettext_lazy("All combinations")
    add = gettext_lazy("Add a combination")
    saved = gettext_lazy("The combination was added.")
    table_title = gettext_lazy("Combinations")
    columns = (
        ("", gettext_lazy("Combination")),
        ("", gettext_lazy("Name")),
        ("", gettext_lazy("Way to combine")),
        ("", gettext_lazy("Measures")),
        ("", gettext_lazy("Weights")),
    )
    line = "criteria/_combination_line.html"
    style = "phases.css"
