"""A baseline to send: its files, and the phases it is for."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from leaderboard.organize.baselines import Baseline
from leaderboard.submissions.forms import SentOnce
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import check_display_name


class BaselineForm(SentOnce):
    system = forms.CharField(
        max_length=80,
        label=_("System name"),
        help_text=_("Shown on the board, marked as a baseline and never ranked."),
        validators=[check_display_name],
    )
    description = forms.CharField(
        max_length=2000,
        required=False,
        label=_("Description"),
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    phases = forms.ModelMultipleChoiceField(
        Phase.objects.none(),
        label=_("Phases"),
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["phases"]
        field.queryset = task.phases.all()
        field.label_from_instance = lambda phase: phase.title
        field.initial = [phase.pk for phase in task.phases.all()]
        self.ask_files(task.test_sets.all())

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            self._require_files(cleaned)
        return cleaned

    def _require_files(self, cleaned: dict[str, Any]) -> None:
        given = {t for name, t in self.test_sets.items() if cleaned.get(name)}
        if not given:
            self.add_error(None, _("Choose a file for one test set or more."))
            return
        for phase in cleaned["phases"]:
            if not given & set(phase.test_sets.all()):
                said = _("There is no file for a test set of “%s”.")
                self.add_error("phases", said % phase.title)

    def baseline(self) -> Baseline:
        found = self.cleaned_data
        return Baseline(
            found["system"],
            found["description"],
            tuple(found["phases"]),
            self.files_by_test_set(),
            found["key"],
        )
