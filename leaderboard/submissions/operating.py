"""What people with a name may do to a submission: admit, retry, cancel; all logged."""

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import ngettext

from leaderboard.languages import in_english
from leaderboard.submissions import intake, quota
from leaderboard.submissions.models import Evaluation, State, Submission
from leaderboard.tasks.lock import lock_phases, lock_task
from leaderboard.tasks.models import Notice, Phase
from leaderboard.teams.models import User


class NotPossible(Exception):
    """The row is not in a state that allows it."""


def admit(submission: Submission, actor: User) -> Evaluation:
    """Let a late submission be scored and ranked; the event names who did.

    Charged like any other of the day it arrived. Raises NotPossible when it is not
    late (any more) and quota.QuotaUsed.
    """
    with transaction.atomic():
        lock_task(submission.phase.task_id)
        lock_phases(submission.phase.task_id)
        late = Submission.objects.filter(pk=submission.pk, late=True)
        if not late.update(late=False, admitted_at=Now(), admitted_by=actor):
            raise NotPossible("it is not late, or was admitted already")
        submission.refresh_from_db()
        quota.charge(submission)
        return intake.enqueue(submission, "admitted though late", actor)


def announce_admitted(phase: Phase, number: int, actor: User) -> None:
    """Say in the public log how many late submissions were let in, not whose."""
    if not number or phase.task.draft:
        return
    with in_english():
        said = ngettext(
            "%(phase)s: %(n)s submission that came late was let in.",
            "%(phase)s: %(n)s submissions that came late were let in.",
            number,
        )
        text = said % {"phase": phase.title, "n": number}
    Notice.objects.create(
        task=phase.task, phase=phase, kind=Notice.Kind.DEADLINE, text=text, by=actor
    )


def retry(evaluation: Evaluation, actor: User) -> None:
    """Give an evaluation that failed by our fault new attempts, without a charge.

    Raises NotPossible for every other state.
    """
    failed = Evaluation.objects.filter(pk=evaluation.pk)
    with transaction.atomic():
        moved = failed.advance(
            State.FAILED_SYSTEM,
            State.QUEUED,
            "tried again by an operator",
            actor,
            attempt=0,
            not_before=Now(),
            published_at=None,
            finished_at=None,
        )
        if not moved:
            raise NotPossible("only an evaluation that failed can be tried again")
        intake.tell_queue()


def cancel(evaluation: Evaluation, actor: User) -> None:
    """Take a waiting evaluation out of the queue; the attempt is given back.

    Raises NotPossible once a worker has it.
    """
    with transaction.atomic():
        waiting = Evaluation.objects.filter(pk=evaluation.pk)
        if not waiting.advance(
            State.QUEUED,
            State.CANCELLED,
            "cancelled by an operator",
            actor,
            finished_at=Now(),
        ):
            raise NotPossible("only a waiting evaluation can be cancelled")
        if not evaluation.background:
            quota.refund(evaluation.submission_id)
