"""Kinds of what teams send to a phase: files of predictions, or, where the input is
hidden, what the extra that joins by `CodeStep` takes and runs.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet, UUIDField
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from leaderboard.submissions.models import Evaluation, SubmittedFile
from leaderboard.tasks.models import Phase, Task, TestSet
from leaderboard.web.extras import CodeStep, joined
from leaderboard.web.statements import statement
from scoring import Problem
from scoring.sandbox.fork import Supervision
from scoring.source import Source

# Files of each run, by test set.
Sources = Mapping[TestSet, Sequence[Source]]


class SubmissionKind:
    """Files of predictions, a file for each test set or one zip of all.

    `lacking` is what the site would need to score them. With `one_zip` a zip stands for
    all test sets, whatever is in it.
    """

    lacking = ""
    one_zip = False
    archive_label = _("All test sets as one zip")
    archive_help = _(
        "One file for each test set, named as the test set; folders and endings do not "
        "matter."
    )
    fields_template = "submissions/_predictions.html"
    limits_template = "submissions/_limits.html"
    home_template = "submissions/_at_home.html"
    kit_readme = "kits/README.md"
    kit_needs: Sequence[str] = ()  # packages beside those of the engine

    @staticmethod
    def of(phase: Phase) -> "SubmissionKind":
        """The kind of what teams send to the phase."""
        if not phase.hides_input:
            return SubmissionKind()
        point = next(joined(CodeStep), None)
        loaded: SubmissionKind = import_string(point.step) if point else MissingKind()
        return loaded

    def problems_of(
        self, task: Task, files: Mapping[TestSet, UploadedFile]
    ) -> list[Problem]:
        """Problems of files that are one zip for all test sets. Raises JobFailed and
        QueueFull."""
        return []

    def outputs(
        self,
        evaluation: Evaluation,
        test_sets: Sequence[TestSet],
        watch: Supervision | None,
    ) -> Sources:
        """Files to score by test set: those that were sent, or what came of them.

        Raises Refused with what its team may read, and JobFailed.
        """
        files: dict[int, list[Source]] = {test_set.pk: [] for test_set in test_sets}
        for file in _files(submission=evaluation.submission_id):
            if file.test_set_id in files:
                files[file.test_set_id].append(file.source())
        return {t: files[t.pk] for t in test_sets if files[t.pk]}

    def for_team(
        self, evaluation: Evaluation, problems: Sequence[Problem]
    ) -> list[Problem]:
        """The problems of scored files, as far as their team may read them."""
        return list(problems)

    def facts(
        self, evaluation: Evaluation, test_set: TestSet, run: int
    ) -> dict[str, object]:
        """Facts for receipts on how the file to score was made; empty without any."""
        return {}

    def output_of(self, file: SubmittedFile) -> Source | None:
        """The file that was scored last of what was sent."""
        return file.source()

    def kit_inputs(self, phase: Phase) -> dict[str, TestSet]:
        """Test sets whose blind files are in the kit, by their paths in it."""
        return {f"blind/{t.public_name}": t for t in phase.test_sets.all()}

    def kit_words(self, phase: Phase) -> dict[str, object]:
        """Values for the readme of the kit beside the rest."""
        return {}

    def kit_files(
        self, phase: Phase, options: Mapping[str, Sequence[object]]
    ) -> dict[str, bytes]:
        """Further files of the kit by their paths; the task's declared options have the
        paths of their files in it."""
        return {}


@statement(submission=UUIDField())
def _files(submission: UUID) -> QuerySet[SubmittedFile]:
    return SubmittedFile.objects.filter(submission=submission).order_by("run")


class MissingKind(SubmissionKind):
    """Files for an extra that is not installed: they wait."""

    lacking = "what runs code of teams"
    one_zip = True

    def outputs(
        self,
        evaluation: Evaluation,
        test_sets: Sequence[TestSet],
        watch: Supervision | None,
    ) -> Sources:
        return {}

    def output_of(self, file: SubmittedFile) -> Source | None:
        return None

    def kit_inputs(self, phase: Phase) -> dict[str, TestSet]:
        return {}
