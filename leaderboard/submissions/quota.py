"""Attempts per team, phase and day (UTC), counted without a race."""

from datetime import UTC, datetime, time, timedelta

from django.db.models import F

from leaderboard.submissions.models import QuotaCounter, QuotaEntry, Submission
from leaderboard.tasks.models import Participation, Phase


class QuotaUsed(Exception):
    """No attempt is left; `next_at` is when the next day begins."""

    def __init__(self, limit: int, next_at: datetime) -> None:
        super().__init__(f"all {limit} attempts of today are used")
        self.limit = limit
        self.next_at = next_at


def charge(submission: Submission) -> None:
    """Use one attempt, inside the transaction that accepts the submission.

    The conditional UPDATE makes the limit hold under parallel requests. Raises
    QuotaUsed.
    """
    phase = submission.phase
    if phase.daily_limit is None or submission.baseline:
        return
    day = submission.received_at.astimezone(UTC).date()
    counter, _ = QuotaCounter.objects.get_or_create(
        phase=phase, participation=submission.participation, day=day
    )
    free = QuotaCounter.objects.filter(pk=counter.pk, used__lt=phase.daily_limit)
    if not free.update(used=F("used") + 1):
        raise QuotaUsed(phase.daily_limit, next_day(submission.received_at))
    QuotaEntry.objects.create(submission=submission, counter=counter)


def next_day(moment: datetime) -> datetime:
    tomorrow = moment.astimezone(UTC).date() + timedelta(days=1)
    return datetime.combine(tomorrow, time(), UTC)


def left(phase: Phase, participation: Participation, moment: datetime) -> int | None:
    """Attempts left today; None when the phase has no limit."""
    if phase.daily_limit is None:
        return None
    counter = QuotaCounter.objects.filter(
        phase=phase, participation=participation, day=moment.astimezone(UTC).date()
    ).first()
    return max(0, phase.daily_limit - (counter.used if counter else 0))
