"""The assignments of a judge, and their votes.

Assignments are blind and balanced: the unit with the fewest judgements comes first, and
of it the answers with the fewest. Sides and order are random. Nobody judges a thing
twice unless as a control. A judge has one open assignment, whatever windows they have.
"""

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random, SystemRandom
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.extras.judgements import judgements
from leaderboard.extras.judging import checks
from leaderboard.extras.judging.models import (
    UNDER_WAY,
    Assignment,
    Campaign,
    Judge,
    JudgeAccount,
    JudgedAnswer,
    Vote,
)
from leaderboard.teams.refusal import Refusal
from leaderboard.web.locks import locked

MOST_JUDGES = 2000
# A control comes when something else was judged meanwhile.
BETWEEN = 5
LONGEST_LOOK = 24 * 3600  # seconds
_random = SystemRandom()


def own(campaign: Campaign, user: Any, model: str = "") -> Judge | None:
    """The judge that an account is already, or that a judge model of it is."""
    rows = JudgeAccount.objects.filter(
        user=user, judge__campaign=campaign, judge__model=model
    )
    account = rows.select_related("judge__campaign").first()
    return account.judge if account else None


def begin(campaign: Campaign, user: Any = None, model: str = "") -> Judge:
    """A new judge, or the one that this account is already. Raises Refusal."""
    with transaction.atomic():
        campaign = locked(Campaign.objects.filter(pk=campaign.pk)).get()
        if user is not None and (known := own(campaign, user, model)):
            return known
        number = Judge.objects.filter(campaign=campaign).count() + 1
        if number > MOST_JUDGES:
            sentence = _("So many people judge here that nobody else can begin.")
            raise Refusal(sentence, code="too_many_judges")
        if not campaign.open:
            raise Refusal(_("Judging is paused or over."), code="closed")
        judge = Judge.objects.create(campaign=campaign, number=number, model=model)
        if user is not None:
            JudgeAccount.objects.create(user=user, judge=judge)
    return judge


def today(judge: Judge) -> int:
    """How much a judge has judged since midnight, UTC."""
    start = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    made = Vote.objects.filter(assignment__judge=judge, replaced_at=None)
    return made.filter(at__gte=start).count()


def next_for(judge: Judge, random: Random = _random) -> Assignment | None:
    """The open assignment of a judge, or a new one; None where there is nothing to
    judge, for today or at all."""
    campaign = judge.campaign
    if not campaign.open or judge.excluded_at is not None:
        return None
    with transaction.atomic():
        locked(Judge.objects.filter(pk=judge.pk)).get()
        still = still_there(campaign)
        own = Assignment.objects.filter(judge=judge)
        waiting = own.filter(voted_at=None).select_related("unit", "first", "second")
        for one in waiting:
            if _is_of(one, still):
                return one
        if not judge.model and today(judge) >= campaign.daily:
            return None
        if example := checks.training(judge, own, still, random):
            return example
        rows = own.exclude(voted_at=None).filter(control_of=None, spoiled=0)
        done = list(rows.select_related("first"))
        if control := checks.control(judge, own, done, random):
            return control
        if control := _control(campaign, judge, done, random):
            return control
        chosen = (_pair if campaign.in_pairs else _single)(judge, done, still, random)
        if chosen is None:
            return None
        unit, shown = chosen
        random.shuffle(shown)
        second = shown[1] if len(shown) > 1 else None
        return Assignment.objects.create(
            judge=judge, unit_id=unit, first_id=shown[0], second_id=second
        )


def still_there(campaign: Campaign) -> set[UUID]:
    """Submissions that may be judged now."""
    return set(judgements.to_judge(campaign.phase).values_list("pk", flat=True))


def _is_of(assignment: Assignment, submissions: set[UUID]) -> bool:
    shown = (assignment.first, assignment.second)
    return all(one.submission_id in submissions for one in shown if one is not None)


def _control(
    campaign: Campaign, judge: Judge, done: Sequence[Assignment], random: Random
) -> Assignment | None:
    """Something that the judge has judged, with sides changed; by chance."""
    if len(done) <= BETWEEN or random.random() * 100 >= campaign.controls:
        return None
    repeated = set(
        Assignment.objects.filter(judge=judge)
        .filter(control_of__isnull=False, spoiled=0)
        .values_list("control_of", flat=True)
    )
    free = [one for one in done[:-BETWEEN] if one.pk not in repeated]
    if not free:
        return None
    one = random.choice(free)
    sides = (one.second or one.first, one.first if one.second_id else None)
    return Assignment.objects.create(
        judge=judge,
        unit_id=one.unit_id,
        first=sides[0],
        second=sides[1],
        control_of=one,
    )


def _taken(judge: Judge) -> QuerySet[Assignment]:
    """What people have judged or are at, or a judge model, without controls and
    excluded judges."""
    lately = timezone.now() - UNDER_WAY
    rows = Assignment.objects.filter(
        judge__campaign=judge.campaign,
        judge__model=judge.model,
        control_of=None,
        spoiled=0,
    )
    going_on = Q(voted_at__isnull=False) | Q(at__gte=lately)
    return rows.filter(going_on, judge__excluded_at=None).order_by()


def _counted(rows: QuerySet[Assignment], *fields: str) -> Counter[Any]:
    """How many there are by the values of these fields, a tuple of several."""
    found: Counter[Any] = Counter()
    for *values, number in rows.values_list(*fields).annotate(Count("pk")):
        found[values[0] if len(values) == 1 else tuple(values)] += number
    return found


def _pair(
    judge: Judge, mine: Sequence[Assignment], still: set[UUID], random: Random
) -> tuple[int, list[int]] | None:
    """The unit with the fewest judgements, of it the pair of systems that was compared
    least."""
    campaign, taken = judge.campaign, _taken(judge)
    of_unit, by_me = _counted(taken, "unit"), Counter(row.unit_id for row in mine)
    seen = {frozenset((row.first_id, row.second_id)) for row in mine}
    pairs: Counter[frozenset[UUID]] = Counter()
    systems: Counter[UUID] = Counter()
    sides = _counted(taken, "first__submission", "second__submission")
    for both, number in sides.items():
        pairs[frozenset(both)] += number
        systems.update(dict.fromkeys(both, number))
    units = campaign.units.values_list("pk", flat=True)
    order = sorted(
        (unit for unit in units if of_unit[unit] < campaign.per_unit),
        key=lambda unit: (by_me[unit], of_unit[unit], random.random()),
    )
    for unit in order:
        rows = JudgedAnswer.objects.filter(unit=unit, submission__in=still)
        answers = rows.order_by("pk").values_list("pk", "submission")
        free = [
            (one, other)
            for one, other in combinations(answers, 2)
            if frozenset((one[0], other[0])) not in seen
        ]
        if free:
            one, other = min(
                free,
                key=lambda pair: (
                    pairs[frozenset((pair[0][1], pair[1][1]))],
                    systems[pair[0][1]] + systems[pair[1][1]],
                    random.random(),
                ),
            )
            return unit, [one[0], other[0]]
    return None


def _single(
    judge: Judge, mine: Sequence[Assignment], still: set[UUID], random: Random
) -> tuple[int, list[int]] | None:
    """The answer with the fewest judgements, first of units that the judge has begun:
    the same judges for all systems make comparisons surer."""
    campaign, of_answer = judge.campaign, _counted(_taken(judge), "first")
    by_me = {row.unit_id for row in mine}
    seen = {row.first_id for row in mine}
    answers = JudgedAnswer.objects.filter(unit__campaign=campaign).order_by("pk")
    free = [
        (unit not in by_me, of_answer[answer], random.random(), unit, answer)
        for answer, unit, submission in answers.values_list("pk", "unit", "submission")
        if submission in still
        and answer not in seen
        and of_answer[answer] < campaign.per_unit
    ]
    if not free:
        return None
    *_order, unit, answer = min(free)
    return unit, [answer]


@dataclass(frozen=True)
class Sent:
    """A vote as a page sends it. `instead` is the key of the vote that it replaces."""

    assignment: UUID
    key: UUID
    values: Mapping[str, Any]
    seconds: int | None = None
    instead: UUID | None = None


def vote(judge: Judge, sent: Sent) -> Vote:
    """Write a vote once, however often it is sent.

    Of two windows the first to send counts. Raises Refusal for that of the other, and
    for what is no assignment of this judge.
    """
    with transaction.atomic():
        judge = locked(Judge.objects.filter(pk=judge.pk)).get()
        rows = Assignment.objects.filter(judge=judge, key=sent.assignment)
        if (assignment := rows.first()) is None:
            sentence = _("This was not given to you to judge. Go on with the next one.")
            raise Refusal(sentence, code="not_yours")
        if again := assignment.votes.filter(key=sent.key).first():
            return again
        if not judge.campaign.open or judge.excluded_at is not None:
            sentence = _("Judging is over; what you sent before is kept.")
            raise Refusal(sentence, code="closed")
        current = assignment.votes.filter(replaced_at=None).first()
        if current is not None and current.key != sent.instead:
            sentence = _(
                "You judged this already, perhaps in another window; what you sent "
                "first counts. You can still change the last one."
            )
            raise Refusal(sentence, code="judged_already")
        now = timezone.now()
        if current is not None:
            Vote.objects.filter(pk=current.pk).update(replaced_at=now)
        else:
            Assignment.objects.filter(pk=assignment.pk).update(voted_at=now)
        seconds = sent.seconds
        if seconds is not None:
            seconds = min(max(seconds, 0), LONGEST_LOOK)
        return Vote.objects.create(
            assignment=assignment,
            key=sent.key,
            values=dict(sent.values),
            seconds=seconds,
            at=now,
        )


def last_of(judge: Judge) -> Vote | None:
    """The vote that a judge may change: the last one."""
    rows = Vote.objects.filter(assignment__judge=judge, replaced_at=None)
    related = rows.select_related(
        "assignment__unit", "assignment__first", "assignment__second"
    )
    return related.order_by("at", "pk").last()


def new_key() -> UUID:
    return UUID(bytes=secrets.token_bytes(16), version=4)


def unit_count(campaign: Campaign) -> int:
    return campaign.units.count()
