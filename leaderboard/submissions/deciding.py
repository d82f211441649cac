"""What organizers decide about one submission: disqualify it, or take that back."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from leaderboard.submissions import revising
from leaderboard.submissions.models import Submission
from leaderboard.tasks.lock import lock_phases, lock_task
from leaderboard.tasks.models import Phase
from leaderboard.teams.models import User


class NotDecided(Exception):
    """Why a decision cannot be taken, in words."""


def disqualify(submission: Submission, actor: User, why: str) -> None:
    """Take a submission off the boards; its team is shown why.

    Raises NotDecided without a reason, and when it is disqualified already.
    """
    why = " ".join(why.split())
    if not why:
        raise NotDecided(_("Say why: the team is shown the reason."))
    standing = Submission.objects.filter(pk=submission.pk, disqualified_at=None)
    with _held(submission):
        if not standing.update(
            disqualified_at=Now(), disqualified_by=actor, disqualified_why=why[:500]
        ):
            raise NotDecided(_("It is disqualified already."))
        _changed_board(submission)


def reinstate(submission: Submission) -> None:
    """Put a disqualified submission back. Raises NotDecided when it is not one."""
    out = Submission.objects.filter(pk=submission.pk, disqualified_at__isnull=False)
    with _held(submission):
        if not out.update(
            disqualified_at=None, disqualified_by=None, disqualified_why=""
        ):
            raise NotDecided(_("It is not disqualified."))
        revising.score_returned(Submission.objects.filter(pk=submission.pk))
        _changed_board(submission)


@contextmanager
def _held(submission: Submission) -> Iterator[None]:
    """One transaction of an organizer who changes submissions, see `holding`."""
    with transaction.atomic():
        lock_task(submission.phase.task_id)
        lock_phases(submission.phase.task_id)
        yield


def _changed_board(submission: Submission) -> None:
    phase = Phase.objects.filter(pk=submission.phase_id)
    phase.update(board_version=F("board_version") + 1)
    submission.refresh_from_db()
