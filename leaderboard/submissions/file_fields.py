"""A form part that asks for one file per test set."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks.models import TestSet

PREFIX = "file_"


class FilePerTestSet(forms.Form):
    """Asks for files after `ask_files`; `too_large` names the fields that were cut."""

    def __init__(
        self, *args: Any, too_large: Sequence[str] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.too_large = too_large
        self.test_sets: dict[str, TestSet] = {}

    def ask_files(self, test_sets: Iterable[TestSet]) -> None:
        self.test_sets = {PREFIX + one.name: one for one in test_sets}
        for name, test_set in self.test_sets.items():
            self.fields[name] = forms.FileField(
                required=False, label=test_set.title, allow_empty_file=True
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in self.too_large:
            if name in self.fields:
                self.add_error(name, _("This file is larger than the limit."))
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


class SentOnce(FilePerTestSet):
    """What is sent again under the same `key` counts once."""

    key = forms.CharField(
        max_length=64,
        # Browsers that remember forms over a reload would fill in a key that is used.
        widget=forms.HiddenInput(attrs={"autocomplete": "off"}),
        initial=uuid.uuid4,
    )

    def renew_key(self) -> None:
        """Let what stands in the form be sent as a submission of its own."""
        self.data = self.data.copy()
        self.data["key"] = str(uuid.uuid4())
