"""The upload form: a file per test set of the phase, or one zip of them."""

import uuid
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from leaderboard.submissions.fact_fields import FactsForm
from leaderboard.tasks import facts
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.teams.models import check_display_name

FILE_PREFIX = "file_"
ARCHIVE = "archive"


class UploadForm(FactsForm):
    """Fields of an upload; `key` makes a double click one submission."""

    system = forms.CharField(
        max_length=80,
        label=_("System name"),
        help_text=_("Shown on the board."),
        validators=[check_display_name],
    )
    description = forms.CharField(
        max_length=2000,
        required=False,
        label=_("Description"),
        help_text=_("How it works, what it was trained on. Shown with the submission."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    key = forms.CharField(max_length=64, widget=forms.HiddenInput, initial=uuid.uuid4)

    def __init__(self, phase: Phase, *args: Any, **kwargs: Any) -> None:
        self.too_large = kwargs.pop("too_large", ())
        super().__init__(*args, **kwargs)
        self.ask(facts.asked(phase.task))
        self.test_sets = {FILE_PREFIX + t.name: t for t in phase.test_sets.all()}
        for name, test_set in self.test_sets.items():
            self.fields[name] = forms.FileField(
                required=False, label=test_set.title, allow_empty_file=True
            )
        self.fields[ARCHIVE] = forms.FileField(
            required=False,
            label=_("All test sets as one zip"),
            help_text=_(
                "One file for each test set, named as the test set; folders and "
                "endings do not matter."
            ),
            allow_empty_file=True,
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in self.too_large:
            if name in self.fields:
                self.add_error(name, _("This file is larger than the limit."))
        if self.errors:
            return cleaned
        files, archive = self.files_by_test_set(), cleaned.get(ARCHIVE)
        if files and archive is not None:
            self.add_error(ARCHIVE, _("Send either single files or one zip of all."))
        if not files and archive is None:
            self.add_error(next(iter(self.test_sets)), _("Choose a file to upload."))
        return cleaned

    def files_by_test_set(self) -> Mapping[TestSet, UploadedFile]:
        """The files given, empty ones included: the format check names those."""
        return {
            test_set: self.cleaned_data[name]
            for name, test_set in self.test_sets.items()
            if self.cleaned_data.get(name) is not None
        }

    def archive(self) -> UploadedFile | None:
        """The zip with a file per test set, after validation."""
        found: UploadedFile | None = self.cleaned_data.get(ARCHIVE)
        return found

    def archive_field(self) -> forms.BoundField:
        return self[ARCHIVE]

    def file_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.test_sets]
