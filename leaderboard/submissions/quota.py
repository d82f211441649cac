"""What a team and a person may use per phase and day (UTC), counted without a race."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from leaderboard.submissions.ledger import QuotaCounter, QuotaEntry
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User

Kind = QuotaCounter.Kind


class QuotaUsed(Exception):
    """Nothing is left of an allowance; `next_at` is when the next day begins."""

    said = "all {limit} attempts of today are used"

    def __init__(self, limit: int, next_at: datetime) -> None:
        super().__init__(self.said.format(limit=limit))
        self.limit = limit
        self.next_at = next_at


class RefusedTooOften(QuotaUsed):
    """Too many uploads of today had a wrong format."""

    said = "{limit} uploads of today were refused for their format, which is the limit"


class TooManyLate(QuotaUsed):
    """Too many uploads came today after the end of the phase."""

    said = "{limit} uploads after the end were kept today, which is the limit"


ERRORS = {Kind.SCORED: QuotaUsed, Kind.REFUSED: RefusedTooOften, Kind.LATE: TooManyLate}


def charge(submission: Submission, kind: QuotaCounter.Kind = Kind.SCORED) -> None:
    """Use one of the team's and of the sender's allowance, entered in the ledger.

    Inside the transaction that accepts the submission. Raises QuotaUsed.
    """
    if submission.baseline or limit_of(submission.phase, kind) is None:
        return
    moment = submission.received_at
    use = Use(submission.phase, submission.participation, submission.sender, moment)
    counters = list(use.raise_counters(kind))
    QuotaEntry.objects.bulk_create(
        QuotaEntry(submission=submission, counter=counter) for counter in counters
    )


def charge_refused(use: "Use") -> None:
    """Note an upload that was refused for its format.

    Raises RefusedTooOften, so that format errors are no unlimited source of answers.
    """
    with transaction.atomic():
        list(use.raise_counters(Kind.REFUSED))


class Use:
    """Who uses something of which phase's allowances, and when."""

    def __init__(
        self, phase: Phase, participation: Participation, person: User, moment: datetime
    ) -> None:
        self.phase = phase
        self.moment = moment
        # The team's first: an order, so that two requests cannot wait for each other.
        self.holders = ({"participation": participation}, {"person": person})
        self.day = moment.astimezone(UTC).date()

    def raise_counters(self, kind: QuotaCounter.Kind) -> Iterator[QuotaCounter]:
        """Raise each counter by one.

        The conditional UPDATE makes the limit hold under parallel requests, also when
        an organizer lowered it below what is used already.
        """
        limit = limit_of(self.phase, kind)
        assert limit is not None
        for holder in self.holders:
            counter, _ = QuotaCounter.objects.get_or_create(
                phase=self.phase, kind=kind, day=self.day, **holder
            )
            free = QuotaCounter.objects.filter(pk=counter.pk, used__lt=limit)
            if not free.update(used=F("used") + 1):
                raise ERRORS[kind](limit, next_day(self.moment))
            yield counter

    def left(self, kind: QuotaCounter.Kind = Kind.SCORED) -> int | None:
        """What both team and person have left of the day; None without a limit."""
        limit = limit_of(self.phase, kind)
        if limit is None:
            return None
        of_day = QuotaCounter.objects.filter(phase=self.phase, kind=kind, day=self.day)
        used = [of_day.filter(**holder).first() for holder in self.holders]
        return max(0, limit - max(counter.used if counter else 0 for counter in used))

    def require(self, kind: QuotaCounter.Kind) -> None:
        """Raises the error of `kind` when nothing of it is left."""
        if self.left(kind) == 0:
            raise ERRORS[kind](limit_of(self.phase, kind) or 0, next_day(self.moment))


def limit_of(phase: Phase, kind: QuotaCounter.Kind) -> int | None:
    limits = {
        Kind.SCORED: phase.daily_limit,
        Kind.REFUSED: settings.REFUSED_PER_DAY,
        Kind.LATE: settings.LATE_PER_DAY,
    }
    return limits[kind]


def refund(submission_id: object) -> int:
    """Give back what the submission was charged; how many entries were still open.

    Each entry is closed by a conditional UPDATE before its counter falls, so that
    nothing is given back twice.
    """
    given = 0
    with transaction.atomic():
        entries = QuotaEntry.objects.filter(submission_id=submission_id)
        for entry in entries.order_by("pk"):
            mine = QuotaEntry.objects.filter(pk=entry.pk, refunded_at__isnull=True)
            if mine.update(refunded_at=Now()):
                counter = QuotaCounter.objects.filter(pk=entry.counter_id)
                given += counter.update(used=F("used") - 1)
    return given


def next_day(moment: datetime) -> datetime:
    tomorrow = moment.astimezone(UTC).date() + timedelta(days=1)
    return datetime.combine(tomorrow, time(), UTC)


def left(phase: Phase, participation: Participation, moment: datetime) -> int | None:
    """Attempts the team has left today; None when the phase has no limit."""
    if phase.daily_limit is None:
        return None
    counter = QuotaCounter.objects.filter(
        phase=phase, kind=Kind.SCORED, participation=participation,
        day=moment.astimezone(UTC).date(),
    ).first()  # fmt: skip
    return max(0, phase.daily_limit - (counter.used if counter else 0))
