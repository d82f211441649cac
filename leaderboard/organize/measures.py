"""Measures that an organizer names in a form."""

from collections.abc import Sequence

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from scoring.measures import Measure
from scoring.scorer import Scorer


class MeasuresForm(forms.Form):
    """A form with the fields `measures`, one a line, and `headline`."""

    scorer: Scorer

    @property
    def fixed_measures(self) -> Sequence[Measure]:
        """Those that need no tag, for the list beside the form."""
        return self.scorer.measures(())

    def clean_measures(self) -> tuple[str, ...]:
        lines = self.cleaned_data["measures"].splitlines()
        found = tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
        for name in found:
            self._require_measure(name)
        return found

    def clean_headline(self) -> str:
        name = str(self.cleaned_data["headline"]).strip()
        self._require_measure(name)
        return name

    def _require_measure(self, name: str) -> None:
        try:
            self.scorer.measure(name)
        except KeyError:
            known = ", ".join(one.name for one in self.fixed_measures)
            raise ValidationError(
                _("There is no measure “%(name)s”; expected one of %(known)s."),
                params={"name": name, "known": known},
            ) from None
