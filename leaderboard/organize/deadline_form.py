"""The form that moves the end of a phase."""

from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from leaderboard.organize.local_times import (
    TWICE,
    LocalTimeField,
    WhichField,
    on_clock,
)
from leaderboard.tasks.models import Phase


class DeadlineForm(forms.Form):
    """The new end on the clock of the phase's zone, and a note to everybody.

    `known` is the end that the organizer saw.
    """

    closes = LocalTimeField(label=_("New end"))
    closes_which = WhichField(_("Which of the two"))
    note = forms.CharField(
        max_length=1000,
        label=_("Public note"),
        help_text=_("Why. It stands in the log of changes of the task for good."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    known = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, phase: Phase, *args: Any) -> None:
        closes = phase.closes
        known = closes.isoformat() if closes else ""
        local = closes.astimezone(phase.zone).replace(tzinfo=None) if closes else None
        super().__init__(*args, initial={"closes": local, "known": known})
        self.phase = phase
        self.fields["closes"].help_text = _("On the clock of %(zone)s.") % {
            "zone": phase.time_zone
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        local = cleaned.get("closes")
        if local is not None:
            try:
                fold = cleaned.get("closes_which")
                cleaned["closes"] = on_clock(local, self.phase.zone, fold)
            except ValidationError as error:
                self.add_error("closes", error)
        return cleaned

    def clean_known(self) -> datetime | None:
        known: str = self.cleaned_data["known"]
        try:
            return datetime.fromisoformat(known) if known else None
        except ValueError:
            raise ValidationError(_("Load this page again.")) from None

    @property
    def asks_which(self) -> bool:
        errors = self.errors.as_data().get("closes", ())
        return any(error.code == TWICE for error in errors) or bool(
            self["closes_which"].value()
        )
