"""Decisions about one submission or evaluation by people with a name, all logged."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.submissions import dispatch, quota
from leaderboard.submissions.gold import rescore
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks.access import lock_phases, lock_task
from leaderboard.tasks.models import Notice, Phase
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.languages import in_english


def disqualify(submission: Submission, actor: User, why: str) -> None:
    """Take a submission off the boards; its team is shown why.

    Raises Refusal without a reason, and when it is disqualified already.
    """
    why = " ".join(why.split())
    if not why:
        raise Refusal(_("Say why: the team is shown the reason."))
    standing = Submission.objects.filter(pk=submission.pk, disqualified_at=None)
    with _lock_task(submission):
        if not standing.update(
            disqualified_at=Now(), disqualified_by=actor, disqualified_why=why[:500]
        ):
            raise Refusal(_("It is disqualified already."))
        _changed_board(submission)


def reinstate(submission: Submission) -> None:
    """Put a disqualified submission back. Raises Refusal when it is not one."""
    out = Submission.objects.filter(pk=submission.pk, disqualified_at__isnull=False)
    with _lock_task(submission):
        if not out.update(
            disqualified_at=None, disqualified_by=None, disqualified_why=""
        ):
            raise Refusal(_("It is not disqualified."))
        rescore.score_returned(Submission.objects.filter(pk=submission.pk))
        _changed_board(submission)


@contextmanager
def _lock_task(submission: Submission) -> Iterator[None]:
    """One transaction of an organizer who changes submissions, see `tasks.lock`."""
    with transaction.atomic():
        lock_task(submission.phase.task_id)
        lock_phases(submission.phase.task_id)
        yield


def _changed_board(submission: Submission) -> None:
    Phase.objects.filter(pk=submission.phase_id).touch_boards()
    submission.refresh_from_db()


def admit(submission: Submission, actor: User) -> Evaluation:
    """Let a late submission be scored and ranked; the event names who did.

    Charged like any other of the day it arrived. Raises Refusal when it is not
    late (any more) and quota.QuotaUsed.
    """
    with transaction.atomic():
        lock_task(submission.phase.task_id)
        lock_phases(submission.phase.task_id)
        late = Submission.objects.filter(pk=submission.pk, late=True)
        if not late.update(late=False, admitted_at=Now(), admitted_by=actor):
            raise Refusal("it is not late, or was admitted already")
        submission.refresh_from_db()
        quota.QuotaUsage.of(submission).charge(submission)
        return dispatch.enqueue(submission, "admitted though late", actor)


def announce_admitted(phase: Phase, number: int, actor: User) -> None:
    """Say in the public log how many late submissions were let in, not whose."""
    if not number or phase.task.draft:
        return
    with in_english():
        sentence = ngettext(
            "%(phase)s: %(n)s submission that came late was let in.",
            "%(phase)s: %(n)s submissions that came late were let in.",
            number,
        )
        text = sentence % {"phase": phase.title, "n": number}
    Notice.objects.create(
        task=phase.task, phase=phase, kind=Notice.Kind.DEADLINE, text=text, by=actor
    )


def retry(evaluation: Evaluation, actor: User) -> None:
    """Give an evaluation that failed by our fault new attempts, without a charge.

    Raises Refusal for every other state.
    """
    failed = Evaluation.objects.filter(pk=evaluation.pk)
    with transaction.atomic():
        moved = failed.advance(
            EvaluationState.FAILED_SYSTEM,
            EvaluationState.QUEUED,
            "tried again by an operator",
            actor,
            attempt=0,
            problems=[],
            not_before=Now(),
            published_at=None,
            finished_at=None,
        )
        if not moved:
            raise Refusal("only an evaluation that failed can be tried again")
        dispatch.hint_after_commit()


def cancel(evaluation: Evaluation, actor: User) -> None:
    """Take a waiting evaluation out of the queue; the attempt is given back.

    Raises Refusal once a worker has it.
    """
    with transaction.atomic():
        waiting = Evaluation.objects.filter(pk=evaluation.pk)
        if not waiting.advance(
            EvaluationState.QUEUED,
            EvaluationState.CANCELLED,
            "cancelled by an operator",
            actor,
            finished_at=Now(),
        ):
            raise Refusal("only a waiting evaluation can be cancelled")
        if not evaluation.background:
            quota.refund(evaluation.submission_id)
