"""Allowances of a team and a person per phase, by day and in all, without a race."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, partial
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import BigAutoField, DateField, F, Field, Q, QuerySet
from django.db.models.functions import Now
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.submissions.models import (
    QuotaCounter,
    QuotaEntry,
    QuotaKind,
    Submission,
)
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.known import once
from leaderboard.web.locks import lock_rows
from leaderboard.web.statements import Statement, statement

# What one accepted upload uses; of what is used up the first is told.
CHARGED = {
    QuotaKind.SCORED: (QuotaKind.SCORED, QuotaKind.TOTAL),
    QuotaKind.LATE: (QuotaKind.LATE,),
}
COUNTED = CHARGED[QuotaKind.SCORED]
RAISE = (
    f"UPDATE {QuotaCounter._meta.db_table} SET used = used + 1"
    " WHERE id IN (%s) RETURNING *"
)
# The total has one counter for the whole phase, so its day says nothing.
NO_DAY = date(2000, 1, 1)


# The code and sentence of each refusal, by the allowance of which nothing is left.
REFUSALS: Mapping[str, tuple[str, str | Promise]] = {
    QuotaKind.SCORED: ("quota_used", _("all {limit} attempts of today are used")),
    QuotaKind.REFUSED: (
        "refused_too_often",
        _("{limit} uploads of today were refused for their format, the limit"),
    ),
    QuotaKind.LATE: (
        "too_many_late",
        _("{limit} uploads after the end were kept today, which is the limit"),
    ),
    QuotaKind.TOTAL: ("total_used", _("all {limit} attempts of this phase are used")),
    QuotaKind.GIVEN_BACK: (
        "given_back_too_often",
        _("{limit} attempts of today were given back, which is the limit"),
    ),
}


class QuotaUsed(Refusal):
    """Nothing is left of an allowance; `next_at` is when the next day begins.

    `next_at` is None where no day brings anything new.
    """

    status = 429

    def __init__(
        self, kind: QuotaKind, phase: Phase, next_day: datetime | None
    ) -> None:
        code, sentence = REFUSALS[kind]
        limit = limit_of(phase, kind) or 0
        super().__init__(str(sentence).format(limit=limit), code=code)
        self.limit, self.zone = limit, phase.zone
        if kind != QuotaKind.TOTAL:
            self.next_at = next_day


@dataclass(frozen=True)
class Allowance:
    """The attempts that both team and person have left; None is no limit.

    `next_day` is when new ones come; None where no day brings any.
    """

    today: int | None
    total: int | None
    next_day: datetime | None


def charge_refused(use: "QuotaUsage") -> None:
    """Note an upload that was refused for its format.

    Raises QuotaUsed, so that format errors are no unlimited source of answers.
    """
    with transaction.atomic():
        use.raise_counters(QuotaKind.REFUSED)


class QuotaUsage:
    """Use of a phase's allowances by a team and a person at a moment."""

    def __init__(
        self, phase: Phase, participation: Participation, person: User, moment: datetime
    ) -> None:
        self.phase = phase
        self.entry = participation
        self.person = person
        self.moment = moment
        self.holders = ({"participation": participation}, {"person": person})
        self.today = phase.day_of(moment)

    @classmethod
    def of(cls, submission: Submission) -> "QuotaUsage":
        """The use when a submission came."""
        sent = submission
        return cls(sent.phase, sent.participation, sent.sender, sent.received_at)

    def charge(
        self, submission: Submission, kind: QuotaKind = QuotaKind.SCORED
    ) -> None:
        """Use the team's and the sender's allowances, entered in the ledger.

        Inside the transaction that accepts the submission, which knows the counters as
        `charged` then. Raises QuotaUsed. Attempts are counted without a limit too: one
        that is set later counts what was used before.
        """
        if submission.baseline or submission.brought_at is not None:
            return
        counters = self.raise_counters(*CHARGED[kind])
        vars(submission)["charged"] = counters
        QuotaEntry.objects.bulk_create(
            [QuotaEntry(submission=submission, counter=counter) for counter in counters]
        )

    def raise_counters(self, *kinds: QuotaKind) -> list[QuotaCounter]:
        """Raise each counter by one, in a transaction; QuotaUsed where one was full.

        The limit holds under parallel requests, also when an organizer lowered it below
        what is used already, as the error takes the transaction back.
        """
        counters = self._raise_existing(kinds)
        if len(counters) < len(kinds) * len(self.holders):
            QuotaCounter.objects.bulk_create(
                (
                    QuotaCounter(
                        phase=self.phase, kind=kind, day=self._day(kind), **holder
                    )
                    for kind in kinds
                    for holder in self.holders
                ),
                ignore_conflicts=True,  # that is there, or somebody else made now
            )
            counters += self._raise_existing(
                kinds, but=[counter.pk for counter in counters]
            )
        over = []
        for kind in kinds:
            used = max(counter.used for counter in counters if counter.kind == kind)
            limit = limit_of(self.phase, kind)
            if limit is not None and used > limit:
                over.append(kind)
        if refusal := self._refusal_for(over):
            raise refusal
        return counters

    def _refusal_for(self, used_up: Sequence[QuotaKind]) -> QuotaUsed | None:
        if not used_up:
            return None
        # A day gives nothing new where the whole phase gives nothing.
        day = None if QuotaKind.TOTAL in used_up else self.next_day
        return QuotaUsed(used_up[0], self.phase, day)

    def _raise_existing(
        self, kinds: tuple[QuotaKind, ...], but: Collection[int] = ()
    ) -> list[QuotaCounter]:
        """The counters that are there, after they were raised."""
        return [*_locked_keys(kinds).within(RAISE, but=but, **self._names())]

    @property
    def kind(self) -> QuotaKind:
        """Decided by when a request began, not by how long its body took."""
        over = self.phase.state(self.moment, self.entry) == "over"
        return QuotaKind.LATE if over else QuotaKind.SCORED

    def refusal(self, *kinds: QuotaKind) -> QuotaUsed | None:
        """The refusal of an upload now, whatever its files; None where none is due.
        Of allowances of some kinds only, where they are named."""
        kinds = kinds or (*CHARGED[self.kind], QuotaKind.REFUSED)
        left = self._attempts_left(kinds, self._look())
        return self._refusal_for([kind for kind, n in left.items() if n == 0])

    def allowance(self, charged: Iterable[QuotaCounter] = ()) -> Allowance:
        """The attempts left; no query where the counters were just `charged`."""
        known = [counter for counter in charged if counter.kind in COUNTED]
        return self.left_by(known or self._look())

    def left_by(self, counters: Iterable[QuotaCounter]) -> Allowance:
        """The attempts that these counters leave; all of its own are among them."""
        left = self._attempts_left(COUNTED, filter(self._is_own, counters))
        after = None if left[QuotaKind.TOTAL] == 0 else self.next_day
        return Allowance(left[QuotaKind.SCORED], left[QuotaKind.TOTAL], after)

    @property
    def next_day(self) -> datetime | None:
        """The moment the next day of the phase begins; None where it ends before."""
        return self.phase.next_day_for(self.entry, self.moment)

    def _is_own(self, counter: QuotaCounter) -> bool:
        ours = counter.participation_id == self.entry.pk
        whose = ours or counter.person_id == self.person.pk
        day = self._day(QuotaKind(counter.kind))
        return whose and (counter.phase_id, counter.day) == (self.phase.pk, day)

    def _attempts_left(
        self, kinds: tuple[QuotaKind, ...], counters: Iterable[QuotaCounter]
    ) -> dict[QuotaKind, int | None]:
        """Attempts that are left by kind, in that order."""
        used: dict[str, int] = {}
        for counter in counters:
            used[counter.kind] = max(used.get(counter.kind, 0), counter.used)
        left: dict[QuotaKind, int | None] = {}
        for kind in kinds:
            limit = limit_of(self.phase, kind)
            left[kind] = None if limit is None else max(0, limit - used.get(kind, 0))
        return left

    def _look(self) -> list[QuotaCounter]:
        """All its counters as they are now; read once for a page that changes none."""
        key = ("quota", self.phase.pk, self.entry.pk, self.person.pk, self.today)
        return once(key, partial(_counters, **self._names()))

    def _names(self) -> dict[str, int | date]:
        return {
            "phase": self.phase.pk,
            "participation": self.entry.pk,
            "person": self.person.pk,
            "today": self.today,
        }

    def _day(self, kind: QuotaKind) -> date:
        return NO_DAY if kind == QuotaKind.TOTAL else self.today


def _counters_query(
    kinds: Iterable[QuotaKind], phase: int, participation: int, person: int, today: date
) -> Q:
    asked = Q()
    for kind in kinds:
        asked |= Q(kind=kind, day=NO_DAY if kind == QuotaKind.TOTAL else today)
    mine = Q(participation=participation) | Q(person=person)
    return mine & asked & Q(phase=phase)


NAMES: Mapping[str, Field] = {
    "phase": BigAutoField(),
    "participation": BigAutoField(),
    "person": BigAutoField(),
    "today": DateField(),
}


@statement(**NAMES)
def _counters(
    phase: int, participation: int, person: int, today: date
) -> QuerySet[QuotaCounter]:
    """All counters of a team and a person on a day."""
    asked = _counters_query(QuotaKind, phase, participation, person, today)
    return QuotaCounter.objects.filter(asked)


@cache
def _locked_keys(kinds: tuple[QuotaKind, ...]) -> Statement:
    """Keys of those of these kinds, but of some."""

    def keys(
        phase: int, participation: int, person: int, today: date, but: Collection[int]
    ) -> QuerySet:
        asked = _counters_query(kinds, phase, participation, person, today)
        rows = QuotaCounter.objects.filter(asked).exclude(pk__in=but)
        return lock_rows(rows.values("pk"))

    return Statement(keys, {**NAMES, "but": [BigAutoField()]})


def allowances(uses: Sequence[QuotaUsage]) -> list[Allowance]:
    """The attempts that are left of each; one query."""
    if not uses:
        return []
    counters = _counters_of_several(
        phases=[use.phase.pk for use in uses],
        entries=[use.entry.pk for use in uses],
        people=[use.person.pk for use in uses],
        days=[NO_DAY, *(use.today for use in uses)],
    )
    return [use.left_by(counters) for use in uses]


@statement(
    phases=[BigAutoField()],
    entries=[BigAutoField()],
    people=[BigAutoField()],
    days=[DateField()],
)
def _counters_of_several(
    phases: Collection[int],
    entries: Collection[int],
    people: Collection[int],
    days: Collection[date],
) -> QuerySet[QuotaCounter]:
    mine = Q(participation__in=entries) | Q(person__in=people)
    return QuotaCounter.objects.filter(
        mine, phase__in=phases, day__in=days, kind__in=COUNTED
    )


def limit_of(phase: Phase, kind: QuotaKind) -> int | None:
    limits: Mapping[QuotaKind, int | None] = {
        QuotaKind.SCORED: phase.daily_limit,
        QuotaKind.REFUSED: settings.REFUSED_PER_DAY,
        QuotaKind.LATE: settings.LATE_PER_DAY,
        QuotaKind.TOTAL: phase.total_limit,
        QuotaKind.GIVEN_BACK: settings.REFUNDS_PER_DAY,
    }
    return limits[kind]


def give_back(submission: Submission, counted_as: QuotaKind) -> bool:
    """Refund an attempt that failed by no fault of the team, within the day's bound.

    A file that makes us or a program fail could else be sent without end. False where
    the bound of the team or the sender, for the day of the upload, is reached.
    """
    charged = QuotaEntry.objects.filter(submission=submission, refunded_at=None)
    if not charged.exists():
        return True
    try:
        with transaction.atomic():
            QuotaUsage.of(submission).raise_counters(counted_as)
    except QuotaUsed:
        return False
    refund(submission.pk)
    return True


def refund(submission_id: UUID) -> int:
    """Give back what the submission was charged; how many entries were still open.

    Each entry is closed by a conditional UPDATE before its counter falls, so that
    nothing is given back twice.
    """
    given = 0
    with transaction.atomic():
        entries = QuotaEntry.objects.filter(submission_id=submission_id)
        for entry in entries.order_by("counter"):  # the order of locks
            mine = QuotaEntry.objects.filter(pk=entry.pk, refunded_at__isnull=True)
            if mine.update(refunded_at=Now()):
                counter = QuotaCounter.objects.filter(pk=entry.counter_id)
                given += counter.update(used=F("used") - 1)
    return given
