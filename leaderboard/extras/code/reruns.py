"""Reruns of code after a change of the hidden input or of the environment.

As where gold is corrected, a score stands until there is another one.
"""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from leaderboard.extension.access import lock_task
from leaderboard.extension.models import (
    Evaluation,
    EvaluationState,
    Phase,
    Submission,
    SubmittedFile,
    Task,
    User,
)
from leaderboard.extension.submissions import create_evaluations, hint_after_commit
from leaderboard.extras.code.models import CodeRun

WAITING = (EvaluationState.QUEUED, EvaluationState.AWAITING)


def to_run_again(phases: Iterable[Phase]) -> QuerySet[Submission]:
    """Submissions of these phases whose code counts for something."""
    submissions = Submission.objects.filter(
        phase__in=phases, withdrawn_at=None, disqualified_at=None, late=False
    )
    return submissions.order_by("received_at", "pk")


def run_again(task: Task, submissions: QuerySet[Submission], by: User) -> int:
    """Order another run of submissions; how many were not waiting for one anyway."""
    with transaction.atomic():
        lock_task(task.pk)
        evaluations = [
            evaluation.again()
            for evaluation in _under_shown_gold(submissions)
            if evaluation.state not in WAITING
        ]
        create_evaluations(evaluations, "its code is run again", by)
        _order(evaluations)
        if evaluations:
            hint_after_commit()
    return len(evaluations)


def _under_shown_gold(submissions: QuerySet[Submission]) -> list[Evaluation]:
    """The newest evaluation of each under the gold that its phase shows."""
    rows = Evaluation.objects.filter(submission__in=submissions)
    related = rows.select_related("submission__phase").defer("results", "problems")
    newest: dict[UUID, Evaluation] = {}
    for evaluation in related.order_by("table_version", "pk"):
        if evaluation.gold_revision_id == evaluation.submission.phase.gold_revision_id:
            newest[evaluation.submission_id] = evaluation
    return list(newest.values())


def _order(evaluations: list[Evaluation]) -> None:
    """A run of an evaluation that has no output yet is one that is to be made."""
    mine = {evaluation.submission_id: evaluation for evaluation in evaluations}
    files = SubmittedFile.objects.filter(submission__in=mine)
    CodeRun.objects.bulk_create(
        CodeRun(
            evaluation=mine[file.submission_id],
            test_set_id=file.test_set_id,
            number=file.run,
        )
        for file in files
    )
