"""The submission that a team chooses to count, where the phase counts chosen ones."""

from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.submissions.deciding import NotDecided
from leaderboard.submissions.models import Submission
from leaderboard.tasks.lock import lock_phases
from leaderboard.tasks.models import Phase


def why_not(submission: Submission, moment: datetime) -> str:
    """Why its team cannot choose it (any more), in words; empty if it can."""
    phase = submission.phase
    if phase.counts != Phase.Counts.CHOSEN:
        return _("In this phase nothing is chosen: the rule says which one counts.")
    if phase.state(moment) != "open":
        return _("A choice is made while the phase is open.")
    if submission.late or submission.baseline:
        return _("It does not stand on the board.")
    if submission.withdrawn_at or submission.disqualified_at:
        return _("It is off the board.")
    return ""


def pick(submission: Submission) -> None:
    """Let it count in place of any other of the team. Raises NotDecided."""
    with transaction.atomic():
        fresh = _locked(submission)
        chosen = Submission.objects.filter(
            phase=fresh.phase, participation=fresh.participation, picked=True
        )
        chosen.exclude(pk=fresh.pk).update(picked=False)
        _set(fresh, picked=True)


def unpick(submission: Submission) -> None:
    """Choose nothing: the last one counts again. Raises NotDecided."""
    with transaction.atomic():
        _set(_locked(submission), picked=False)


def _locked(submission: Submission) -> Submission:
    """The submission as it is now, while nobody else of the team chooses.

    Held by the phases, which every choice takes.
    """
    lock_phases(submission.phase.task_id)
    fresh = Submission.objects.select_related("phase").get(pk=submission.pk)
    if why := why_not(fresh, timezone.now()):
        raise NotDecided(why)
    return fresh


def _set(submission: Submission, picked: bool) -> None:
    other = Submission.objects.filter(pk=submission.pk, picked=not picked)
    if other.update(picked=picked):
        phase = Phase.objects.filter(pk=submission.phase_id)
        phase.update(board_version=F("board_version") + 1)
