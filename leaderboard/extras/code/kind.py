"""A zip of code is what teams send: how it is asked for, checked, run and described."""

from collections.abc import Mapping, Sequence

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from leaderboard.extension import sandbox
from leaderboard.extension.blobs import source_of
from leaderboard.extension.models import (
    Evaluation,
    Phase,
    SubmittedFile,
    Task,
    TestSet,
    raw_options,
)
from leaderboard.extension.programs import SubmissionKind
from leaderboard.extras.code import kit, runs
from scoring.errors import Problem, Refused
from scoring.sandbox.codec import Request
from scoring.sandbox.fork import Supervision
from scoring.scorers.program import INGESTION
from scoring.source import Source


class ZipOfCode(SubmissionKind):
    """Code in place of predictions: what it writes is scored."""

    one_zip = True
    archive_label = _("Code")
    archive_help = _(
        "A zip with predict.py (or a metadata.yaml with the command), and weights and "
        "packages beside it. It runs once for each test set."
    )
    fields_template = "code/_upload.html"
    limits_template = "code/_limits.html"
    home_template = "code/_at_home.html"
    kit_readme = "code/kit.md"
    kit_needs = ("httpx",)  # of the client

    def problems_of(
        self, task: Task, files: Mapping[TestSet, UploadedFile]
    ) -> list[Problem]:
        """Problems of zips of code; one for several test sets is read once."""
        different = {id(file): file for file in files.values()}
        sources = [source_of(file, "code.zip") for file in different.values()]
        given = raw_options(task.options).get(INGESTION, ())
        ingestion = [file for file in given if isinstance(file, Source)]
        about = {
            "names": [source.name for source in (*sources, *ingestion)],
            "ingested": bool(ingestion),
        }
        contents = [source.single() for source in (*sources, *ingestion)]
        try:
            sandbox.run("programs.check_code", Request(about, contents))
        except Refused as refusal:
            return list(refusal.problems)
        return []

    def outputs(
        self,
        evaluation: Evaluation,
        test_sets: Sequence[TestSet],
        watch: Supervision | None,
    ) -> dict[TestSet, list[Source]]:
        return runs.outputs(evaluation, test_sets, watch)

    def for_team(
        self, evaluation: Evaluation, problems: Sequence[Problem]
    ) -> list[Problem]:
        return runs.for_team(evaluation, problems)

    def facts(
        self, evaluation: Evaluation, test_set: TestSet, run: int
    ) -> dict[str, object]:
        return runs.facts(evaluation, test_set, run)

    def output_of(self, file: SubmittedFile) -> Source | None:
        return runs.output_of(file)

    def kit_inputs(self, phase: Phase) -> dict[str, TestSet]:
        return kit.samples_of(phase)

    def kit_words(self, phase: Phase) -> dict[str, object]:
        return kit.readme_words(phase)

    def kit_files(
        self, phase: Phase, options: Mapping[str, Sequence[object]]
    ) -> dict[str, bytes]:
        return kit.files(phase, options)


CODE = ZipOfCode()
