"""The upload form: one file per test set of the phase."""

import uuid
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from leaderboard.tasks.models import Phase, TestSet
from leaderboard.teams.models import check_display_name

FILE_PREFIX = "file_"


class UploadForm(forms.Form):
    """Fields of an upload; `key` makes a double click one submission."""

    system = forms.CharField(
        max_length=80,
        label="System name",
        help_text="Shown on the board.",
        validators=[check_display_name],
    )
    description = forms.CharField(
        max_length=2000,
        required=False,
        label="Description",
        help_text="How it works, what it was trained on. Shown with the submission.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    key = forms.CharField(max_length=64, widget=forms.HiddenInput, initial=uuid.uuid4)

    def __init__(self, phase: Phase, *args: Any, **kwargs: Any) -> None:
        self.too_large = kwargs.pop("too_large", ())
        super().__init__(*args, **kwargs)
        self.test_sets = {FILE_PREFIX + t.name: t for t in phase.test_sets.all()}
        for name, test_set in self.test_sets.items():
            self.fields[name] = forms.FileField(
                required=False, label=test_set.title, allow_empty_file=True
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in self.too_large:
            if name in self.fields:
                self.add_error(name, "This file is larger than the limit.")
        if not self.errors and not self.files_by_test_set():
            self.add_error(next(iter(self.test_sets)), "Choose a file to upload.")
        return cleaned

    def files_by_test_set(self) -> Mapping[TestSet, UploadedFile]:
        """The files given, empty ones included: the format check names those."""
        return {
            test_set: self.cleaned_data[name]
            for name, test_set in self.test_sets.items()
            if self.cleaned_data.get(name) is not None
        }

    def file_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.test_sets]
