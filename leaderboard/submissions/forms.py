"""Forms of an upload: files for each test set, and answers to the fact sheet."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.submissions.submission_kinds import SubmissionKind
from leaderboard.submissions.uploads import MOST_FILES
from leaderboard.tasks.access import note_test_sets
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.tasks.questions import FactsForm
from leaderboard.teams.models import check_display_name
from leaderboard.web.forms import UploadField
from scoring.counts import prompts_unlike

FILE_PREFIX = "file_"
ARCHIVE = "archive"
PROMPTS, LONGEST_PROMPT = "prompts", 60


def part_name(test_set: str, run: int) -> str:
    """The name of the part of a form with a run's file: "file_english.2"."""
    return f"{FILE_PREFIX}{test_set}.{run}" if run > 1 else FILE_PREFIX + test_set


class FilePerTestSet(forms.Form):
    """Asks for files after `ask_files`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Of each run the test sets, by the names of their fields
        self.parts: list[dict[str, TestSet]] = [{}]

    def ask_files(self, test_sets: Iterable[TestSet], most_runs: int = 1) -> None:
        """Ask for a file of each test set, or for one of each of several runs."""
        asked = list(test_sets)
        most = max(1, min(most_runs, MOST_FILES // max(len(asked), 1)))
        self.parts = []
        for run in range(1, most + 1):
            self.parts.append({})
            for test_set in asked:
                label: Any = test_set.title
                if run > 1:
                    label = format_lazy(
                        _("{title}, run {run}"), title=test_set.title, run=run
                    )
                name = part_name(test_set.name, run)
                self.parts[-1][name] = test_set
                self.fields[name] = UploadField(
                    required=False, label=label, allow_empty_file=True
                )

    @property
    def most_runs(self) -> int:
        return len(self.parts)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        self._refuse_strays()
        return cleaned

    def _refuse_strays(self) -> None:
        """Refuse what a program sent under a wrong name, or several times.

        A file that is passed over counts 0 and uses an attempt.
        """
        known = {}
        for name, field in self.fields.items():
            if hasattr(self.data, "getlist"):
                given = self.data.getlist(name)
            else:  # a body that is no form
                given = [self.data[name]] if name in self.data else []
            if is_file := isinstance(field, forms.FileField):
                known[name] = field
            several = getattr(field.widget, "allow_multiple_selected", False)
            if len(given) > 1 and not several:
                self.add_error(name, _("Send this once, not several times."))
            # A browser sends a field without a file as an empty text.
            elif is_file and given and isinstance(given[0], str) and given[0]:
                self.add_error(name, _("This is a text; send a file."))
        for name in self.files:
            if name not in known:
                message = _("“%(name)s” is none of the files asked for: %(known)s.")
                self.add_error(
                    None, message % {"name": name, "known": ", ".join(known)}
                )

    def files_by_test_set(self) -> Mapping[TestSet, UploadedFile]:
        """The files given, empty ones included: the format check names those."""
        return self.runs()[0]

    def runs(self) -> list[Mapping[TestSet, UploadedFile]]:
        """The files of the first run, of the second, as far as any were given."""
        runs: list[Mapping[TestSet, UploadedFile]] = []
        for names in self.parts:
            files = {}
            for name, test_set in names.items():
                if (file := self.cleaned_data.get(name)) is not None:
                    files[test_set] = file
            runs.append(files)
        while len(runs) > 1 and not runs[-1]:
            runs.pop()
        return runs

    def require_whole_runs(
        self, first: Collection[TestSet], *others: Collection[TestSet]
    ) -> None:
        """Every run needs the files of the same test sets: means are over runs."""
        for run, files in enumerate(others, 2):
            for test_set in self.parts[0].values():
                if (test_set in files) != (test_set in first):
                    less, more = (run, 1) if test_set in first else (1, run)
                    message = _(
                        "Run %(less)s has no file for %(title)s, but run %(more)s has "
                        "one. Send as many runs for each test set."
                    )
                    about = {"less": less, "more": more, "title": test_set.title}
                    self.add_error(part_name(test_set.name, less), message % about)

    def run_fields(self) -> list[forms.BoundField]:
        """The fields of further runs."""
        return [self[name] for names in self.parts[1:] for name in names]

    def runs_open(self) -> bool:
        """Whether something needs fixing among further runs."""
        return any(field.errors for field in self.run_fields())

    def file_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.parts[0]]


class SentOnce(FilePerTestSet):
    """A form whose repetition under the same `key` counts once."""

    key = forms.CharField(
        max_length=64,
        # Browsers that remember forms over a reload would fill in a key that is used.
        widget=forms.HiddenInput(attrs={"autocomplete": "off"}),
        initial=uuid.uuid4,
    )

    def renew_key(self) -> None:
        """Let what stands in the form be sent as a submission of its own."""
        data: Any = self.data
        self.data = data = data.copy()
        data["key"] = str(uuid.uuid4())


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
        label=_("Notes on the system"),
        help_text=_(
            "How it works, what it was trained on. For your team and the organizers; "
            "a public description can be sent after the end of the phase."
        ),
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, phase: Phase, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ask(phase.task.fact_sheet())
        note_test_sets(phase)
        self.kind = SubmissionKind.of(phase)
        self.ask_files(phase.test_sets.all(), phase.most_runs)
        if self.most_runs > 1:
            self.fields[PROMPTS] = forms.CharField(
                required=False,
                label=_("Prompt of each run"),
                help_text=_(
                    "Where runs differ by their prompt: a name for that of each run, "
                    "in their order, with commas, as in “short, short, steps, steps”. "
                    "Every prompt needs as many runs."
                ),
            )
        self.fields["again"] = forms.BooleanField(
            required=False,
            label=_("Send these files all the same, which uses an attempt"),
        )
        self.fields[ARCHIVE] = UploadField(
            required=False,
            label=self.kind.archive_label,
            help_text=self.kind.archive_help,
            allow_empty_file=True,
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        runs, archive = self.runs(), cleaned.get(ARCHIVE)
        if runs[0] and archive is not None:
            self.add_error(ARCHIVE, _("Send either single files or one zip of all."))
        if not runs[0] and archive is None:
            asked = ARCHIVE if self.kind.one_zip else next(iter(self.parts[0]))
            self.add_error(asked, _("Choose a file to upload."))
        elif archive is not None and len(runs) > 1:
            message = _(
                "A zip holds one run. Send the files of several runs one by one."
            )
            self.add_error(ARCHIVE, message)
        elif archive is None:
            self.require_whole_runs(*runs)
        if names := self.prompts():
            self._check_prompts(names, len(runs))
        return cleaned

    def prompts(self) -> list[str]:
        """The prompt of each run; empty where none is named."""
        names = self.cleaned_data.get(PROMPTS, "")
        return [name.strip() for name in names.split(",")] if names else []

    def _check_prompts(self, names: Sequence[str], runs: int) -> None:
        if any(len(name) > LONGEST_PROMPT or not name for name in names):
            message = _("Names of prompts have 1 to %(most)s characters.")
            self.add_error(PROMPTS, message % {"most": LONGEST_PROMPT})
        elif prompts_unlike(names, runs):
            message = _(
                "Name a prompt for each of the %(runs)s runs, every one for as many; "
                "these are: %(named)s."
            )
            named = ", ".join(f"{n} ({names.count(n)})" for n in dict.fromkeys(names))
            self.add_error(PROMPTS, message % {"runs": runs, "named": named})

    def upload_values(self) -> dict[str, Any]:
        """The parts of an `accept.Upload` that the valid form says."""
        return {
            "key": self.cleaned_data["key"],
            "system": self.cleaned_data["system"],
            "description": self.cleaned_data["description"],
            "facts": self.facts(),
            "prompts": self.prompts(),
            **self.files_of_upload(),
        }

    def files_of_upload(self) -> dict[str, Any]:
        """The files alone, as parts of an `accept.Upload`."""
        return {"runs": self.runs(), "archive": self.cleaned_data.get(ARCHIVE)}

    def has_files(self) -> bool:
        """Whether the files are as they must be, whatever else the form asks for."""
        asked = dict(self.fields)
        for name, field in asked.items():
            if not isinstance(field, forms.FileField):
                self.fields[name] = forms.Field(required=False)
        valid = self.is_valid()
        self.fields = asked
        self._bound_fields_cache.clear()  # type: ignore[attr-defined]
        return valid

    def archive_field(self) -> forms.BoundField:
        return self[ARCHIVE]

    def prompts_field(self) -> forms.BoundField:
        return self[PROMPTS]

    def runs_open(self) -> bool:
        return super().runs_open() or PROMPTS in self.errors
