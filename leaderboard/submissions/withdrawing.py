"""A team takes a submission off the board, for good."""

from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.submissions.deciding import NotDecided
from leaderboard.submissions.models import Submission
from leaderboard.tasks.lock import lock_phases
from leaderboard.tasks.models import Phase


def why_not(submission: Submission, moment: datetime) -> str:
    """Why its team cannot withdraw it (any more), in words; empty if it can.

    Not after the end: who then knows the scores could withdraw the last one, and so
    choose which one counts.
    """
    if submission.withdrawn_at:
        return _("It was withdrawn already.")
    if submission.late or submission.baseline:
        return _("It does not stand on the board.")
    if submission.phase.state(moment) == "over":
        return _("The phase is over; ask the organizers.")
    return ""


def withdraw(submission: Submission) -> None:
    """Take it off the board; what it cost stays spent. Raises NotDecided.

    It stays listed for its team, with its scores, and it is scored if it waits.
    """
    with transaction.atomic():
        lock_phases(submission.phase.task_id)
        fresh = Submission.objects.select_related("phase").get(pk=submission.pk)
        if why := why_not(fresh, timezone.now()):
            raise NotDecided(why)
        standing = Submission.objects.filter(pk=fresh.pk, withdrawn_at=None)
        standing.update(withdrawn_at=Now(), picked=False)
        version = F("board_version") + 1
        Phase.objects.filter(pk=fresh.phase_id).update(board_version=version)
