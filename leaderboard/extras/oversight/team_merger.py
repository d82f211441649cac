"""Two teams of a task become one, if one team could have sent what both have sent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.extension.access import lock_rows, lock_task
from leaderboard.extension.forms import Refusal
from leaderboard.extension.models import (
    Participant,
    Participation,
    Phase,
    QuotaCounter,
    QuotaKind,
    Submission,
    User,
)

Status = Participation.Status
STATUS = ("status", "merged_into", "reason", "status_at", "status_by", "status_by_team")
RULE = gettext_lazy(
    "Two teams may become one when together they have not used more scored attempts "
    "than one team could have had by now: in each phase the attempts of both are at "
    "most the daily limit times the days since it opened, today included, at most the "
    "daily limit for today alone, and at most the limit of the whole phase. The "
    "team that stays keeps all members, the submissions of both, and the later end of "
    "a phase where one had more time."
)


@dataclass(frozen=True)
class JointAllowance:
    """Use of one allowance of a phase by both teams, and what one team had."""

    phase: Phase
    words: str
    used: int
    allowed: int

    @property
    def fits(self) -> bool:
        return self.used <= self.allowed


def allowances(
    stays: Participation, leaves: Participation, moment: datetime
) -> list[JointAllowance]:
    """Every limit of every phase of the task, with what both used together."""
    both = [*stays.with_merged(), *leaves.with_merged()]
    phases = Phase.objects.filter(task=stays.task_id)
    return [
        allowance
        for phase in phases
        for allowance in _phase_allowance(phase, both, moment)
    ]


def _phase_allowance(
    phase: Phase, both: Sequence[int], moment: datetime
) -> Iterator[JointAllowance]:
    counters = QuotaCounter.objects.filter(phase=phase, participation__in=both)
    scored = counters.filter(kind=QuotaKind.SCORED)
    if phase.daily_limit is not None:
        days = days_begun(phase, moment)
        words = ngettext(
            "%(days)s day, %(limit)s a day", "%(days)s days, %(limit)s a day", days
        )
        words %= {"days": days, "limit": phase.daily_limit}
        yield JointAllowance(
            phase, words, _attempts_used(scored), days * phase.daily_limit
        )
        today = scored.filter(day=phase.day_of(moment))
        yield JointAllowance(
            phase, _("today"), _attempts_used(today), phase.daily_limit
        )
    if phase.total_limit is not None:
        used = max(
            _attempts_used(scored),
            _attempts_used(counters.filter(kind=QuotaKind.TOTAL)),
        )
        yield JointAllowance(phase, _("in the whole phase"), used, phase.total_limit)


def _attempts_used(counters: object) -> int:
    return counters.aggregate(n=Sum("used"))["n"] or 0  # type: ignore[attr-defined]


def days_begun(phase: Phase, moment: datetime) -> int:
    """How many days of the phase's zone had attempts so far, today included."""
    if moment < phase.opens:
        return 0
    last = min(moment, phase.closes) if phase.closes else moment
    return (phase.day_of(last) - phase.day_of(phase.opens)).days + 1


def merge(stays: Participation, leaves: Participation, actor: User, why: str) -> None:
    """Put all that a team has into another one of the task.

    Raises Refusal when a team is not active, or both used more than one team could
    have; then nothing changes.
    """
    with transaction.atomic():
        lock_task(stays.task_id)
        stays, leaves = _lock_both(stays.pk, leaves.pk)
        list(lock_rows(Phase.objects.filter(task=stays.task_id)))
        _require_room(stays, leaves, timezone.now())
        Participant.objects.filter(participation=leaves).update(participation=stays)
        _move_submissions(stays, leaves)
        _move_counters(stays, leaves)
        # Where the team that leaves was chosen, the one that stays is now.
        for phase in Phase.objects.filter(chosen=leaves):
            phase.chosen.add(stays)
        _move_extensions(stays, leaves)
        _close(stays, leaves, actor, " ".join(why.split()))
        Phase.objects.filter(task=stays.task_id).touch_boards()


def _lock_both(*keys: int) -> tuple[Participation, Participation]:
    # In one order, so that two mergers cannot wait for each other.
    rows = Participation.objects.filter(pk__in=keys)
    entries = {entry.pk: entry for entry in lock_rows(rows)}
    if len(entries) < 2 or len({entry.task_id for entry in entries.values()}) > 1:
        raise Refusal(_("Choose two different teams of this task."))
    for entry in entries.values():
        if not entry.is_active:
            words = _("%(team)s does not take part at the moment.")
            raise Refusal(words % {"team": entry.team})
    return entries[keys[0]], entries[keys[1]]


def _require_room(
    stays: Participation, leaves: Participation, moment: datetime
) -> None:
    sentence = _("%(phase)s, %(words)s: both used %(used)s, one team had %(allowed)s.")
    over = [
        sentence
        % {
            "phase": joint.phase.title,
            "words": joint.words,
            "used": joint.used,
            "allowed": joint.allowed,
        }
        for joint in allowances(stays, leaves, moment)
        if not joint.fits
    ]
    if over:
        raise Refusal(" ".join(over))


def _move_submissions(stays: Participation, leaves: Participation) -> None:
    """The board of a phase compares teams by their entry, so rows change theirs."""
    mine = Submission.objects.filter(participation=stays)
    taken = set(mine.values_list("phase", "key"))
    picked = mine.filter(picked=True).values("phase")
    moving = Submission.objects.filter(participation=leaves)
    moving.filter(picked=True, phase__in=picked).update(picked=False)
    for submission in moving:
        if (submission.phase_id, submission.key) in taken:  # both counted from 1
            # As much as fits.
            submission.key = f"{submission.key[:31]}~{submission.pk.hex}"
            submission.save(update_fields=["key"])
    moving.update(participation=stays)


def _move_counters(stays: Participation, leaves: Participation) -> None:
    """Add up what still counts: today, and the whole phase.

    Earlier days stay noted with the team that used them.
    """
    now = timezone.now()
    rows = QuotaCounter.objects.filter(participation=leaves)
    for counter in lock_rows(rows.select_related("phase"), whole=True):
        if counter.kind != QuotaKind.TOTAL and counter.day < counter.phase.day_of(now):
            continue
        joint, _created = QuotaCounter.objects.get_or_create(
            phase=counter.phase,
            kind=counter.kind,
            day=counter.day,
            participation=stays,
        )
        counter.entries.update(counter=joint)
        same = QuotaCounter.objects.filter(pk=joint.pk)
        same.update(used=F("used") + counter.used)
        counter.delete()


def _move_extensions(stays: Participation, leaves: Participation) -> None:
    """The later of two ends of a phase holds; so the last of the phase stays."""
    for given in leaves.extensions.select_related("phase"):
        own = stays.extensions.filter(phase=given.phase).first()
        if own is None:
            given.participation = stays
            given.save(update_fields=["participation"])
        elif own.until < given.until:
            given.delete()
            own.until = given.until
            own.save(update_fields=["until"])
        else:
            given.delete()
            continue


def _close(stays: Participation, leaves: Participation, actor: User, why: str) -> None:
    leaves.status, leaves.merged_into, leaves.reason = Status.MERGED, stays, why
    leaves.status_at, leaves.status_by = timezone.now(), actor
    leaves.status_by_team = False
    leaves.save(update_fields=STATUS)
