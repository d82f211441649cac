"""Code of teams, which an extra runs (`CodeStep`) before what it writes is scored.

Where a site has none, what needs it waits, as for a scorer that is not installed.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from django.utils.module_loading import import_string

from leaderboard.submissions.models import Evaluation, Submission, SubmittedFile
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.web.extras import CodeStep, joined
from scoring import Problem
from scoring.sandbox.fork import Supervision
from scoring.source import Source

# Files of each run, by test set.
Sources = Mapping[TestSet, Sequence[Source]]


class Step(Protocol):
    """Runs code on the input of test sets, and keeps what it wrote."""

    def outputs(
        self,
        evaluation: Evaluation,
        test_sets: Sequence[TestSet],
        watch: Supervision | None,
    ) -> Sources:
        """Files that code wrote, run anew where that has to be.

        Raises Refused with what its team may read, and JobFailed.
        """

    def for_team(
        self, evaluation: Evaluation, problems: Sequence[Problem]
    ) -> list[Problem]:
        """As much of problems of these files as their team may read; the whole is kept
        for organizers."""

    def facts(
        self, evaluation: Evaluation, test_set: TestSet, run: int
    ) -> dict[str, object]:
        """Facts on a run for receipts; empty where there was none."""

    def output_of(
        self, submission: Submission, test_set: TestSet, run: int
    ) -> Source | None:
        """The file that was scored last."""


def step() -> Step | None:
    point = next(joined(CodeStep), None)
    loaded: Step | None = point and import_string(point.step)
    return loaded


def lacks_step(phase: Phase) -> bool:
    """Whether nobody on this site runs the code that is sent to the phase."""
    return phase.takes_code and step() is None


def files_to_score(
    evaluation: Evaluation,
    test_sets: Sequence[TestSet],
    watch: Supervision | None,
) -> Sources:
    """Files of a submission by test set: those that were sent, or what code wrote.

    Raises as `Step.outputs` does.
    """
    own = step() if evaluation.submission.phase.takes_code else None
    if own is not None:
        return own.outputs(evaluation, test_sets, watch)
    sent = SubmittedFile.objects.filter(
        submission=evaluation.submission, test_set__in=test_sets
    )
    files: dict[int, list[Source]] = {}
    for file in sent.order_by("run"):
        files.setdefault(file.test_set_id, []).append(file.source())
    return {t: files[t.pk] for t in test_sets if t.pk in files}


def for_team(evaluation: Evaluation, problems: Sequence[Problem]) -> list[Problem]:
    """As much of problems of scored files as the team may read: what its code wrote may
    hold input that is hidden from it."""
    own = step() if evaluation.submission.phase.takes_code else None
    return own.for_team(evaluation, problems) if own else list(problems)
