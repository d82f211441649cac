"""The upload form: a file per test set of the phase, or one zip of them."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from leaderboard.submissions.fact_fields import FactsForm
from leaderboard.submissions.file_fields import SentOnce
from leaderboard.tasks import facts
from leaderboard.tasks.models import Phase
from leaderboard.teams.models import check_display_name

ARCHIVE = "archive"


class UploadForm(SentOnce, FactsForm):
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

    def __init__(self, phase: Phase, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ask(facts.asked(phase.task))
        self.ask_files(phase.test_sets.all(), phase.most_runs)
        self.fields["again"] = forms.BooleanField(
            required=False,
            label=_("Send the same files again, which uses an attempt"),
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
        if self.errors:
            return cleaned
        files, archive = self.files_by_test_set(), cleaned.get(ARCHIVE)
        if files and archive is not None:
            self.add_error(ARCHIVE, _("Send either single files or one zip of all."))
        if not files and archive is None:
            self.add_error(next(iter(self.test_sets)), _("Choose a file to upload."))
        elif archive is not None and self.more_runs():
            said = _("A zip holds one run. Send the files of several runs one by one.")
            self.add_error(ARCHIVE, said)
        elif archive is None:
            self.require_whole_runs()
        return cleaned

    def archive(self) -> UploadedFile | None:
        """The zip with a file per test set, after validation."""
        found: UploadedFile | None = self.cleaned_data.get(ARCHIVE)
        return found

    def archive_field(self) -> forms.BoundField:
        return self[ARCHIVE]
