"""The assignments of a judge, and their votes.

Assignments are blind and balanced: the unit with the fewest judgements comes first, and
of it the answers with the fewest. Sides and order are random. Nobody judges a thing
twice unless as a control, nor answers of their own team. A judge has one open
assignment, whatever windows they have.
"""

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from random import Random, SystemRandom
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.extension import limits
from leaderboard.extension.access import lock_rows
from leaderboard.extension.forms import Refusal
from leaderboard.extras.judgements import judgements
from leaderboard.extras.judging import checks, models_of_people, own_teams, tallies
from leaderboard.extras.judging.models import (
    NO_CHECK,
    Assignment,
    Campaign,
    Judge,
    JudgeAccount,
    JudgedAnswer,
    Vote,
)

MOST_JUDGES = 2000
MOST_MODELS = 100
MOST_BEGUN = 100  # in a day, by an account or from an address
TOO_MANY = gettext_lazy(
    "From where you are %(n)s people have begun to judge here today: come back "
    "tomorrow, or go on under the link of your own that your first page showed."
)
AT_ONCE = 20  # units that are looked at
LONGEST_LOOK = 24 * 3600  # seconds
_random = SystemRandom()
Rows = QuerySet[Assignment]


def own(campaign: Campaign, user: Any, model: str = "") -> Judge | None:
    """The judge that an account is already, or that a judge model of it is."""
    rows = JudgeAccount.objects.filter(
        user=user, judge__campaign=campaign, judge__model=model
    )
    account = rows.select_related("judge__campaign").first()
    return account.judge if account else None


def begin(campaign: Campaign, user: Any = None, model: str = "") -> Judge:
    """A new judge, or the one that this account is already. Raises Refusal.

    People count towards the most of a campaign from their first vote on, so that
    nobody who only looks keeps others out.
    """
    if model:
        models_of_people.require(campaign, user)
    with transaction.atomic():
        campaign = lock_rows(Campaign.objects.filter(pk=campaign.pk)).get()
        if user is not None and (earlier := own(campaign, user, model)):
            return earlier
        if not campaign.open:
            raise Refusal(_("Judging is paused or over."), code="closed")
        if campaign.by_invitation:
            raise models_of_people.not_invited()
        most = MOST_MODELS if model else MOST_JUDGES
        if _counting(campaign, bool(model)) >= most:
            sentence = _("So many people judge here that nobody else can begin.")
            if model:
                sentence = _("A campaign has at most %(n)s judge models.") % {"n": most}
            raise Refusal(sentence, code="too_many_judges")
        if who := limits.hidden_asker():
            limits.require(TOO_MANY, f"judges {campaign.pk}", MOST_BEGUN, who)
        judge = Judge.objects.create(
            campaign=campaign, number=next_number(campaign), model=model
        )
        if user is not None:
            JudgeAccount.objects.create(user=user, judge=judge)
    return judge


def next_number(campaign: Campaign) -> int:
    """The number of the next judge, with the campaign held."""
    rows = Judge.objects.filter(campaign=campaign)
    return (rows.aggregate(last=Max("number"))["last"] or 0) + 1


def _counting(campaign: Campaign, models: bool = False) -> int:
    """The people, or judge models, that count towards the most of a campaign."""
    rows = Judge.objects.filter(campaign=campaign)
    if models:
        return rows.exclude(model="").count()
    return judging_people(rows).filter(model="").count()


def judging_people(judges: QuerySet[Judge]) -> QuerySet[Judge]:
    """Judges who were given links of their own, or have voted."""
    voted = Assignment.objects.filter(judge=OuterRef("pk"), voted_at__isnull=False)
    return judges.filter(Q(invited=True) | Exists(voted))


def invite(campaign: Campaign, number: int) -> None:
    """Make so many judges, each with a link of their own. Raises Refusal."""
    with transaction.atomic():
        campaign = lock_rows(Campaign.objects.filter(pk=campaign.pk)).get()
        most = MOST_JUDGES - _counting(campaign)
        if not campaign.by_invitation or not 1 <= number <= most:
            raise Refusal(_("From %s to %s.") % (1, most), code="invalid")
        first = next_number(campaign)
        Judge.objects.bulk_create(
            Judge(campaign=campaign, number=first + place, invited=True)
            for place in range(number)
        )


def today(judge: Judge) -> int:
    """How much a judge has judged since midnight, UTC."""
    start = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    votes = Vote.objects.filter(assignment__judge=judge, replaced_at=None)
    return votes.filter(at__gte=start).count()


def next_for(
    judge: Judge, random: Random = _random, reader: Any = None
) -> Assignment | None:
    """The open assignment of a judge, or a new one; None where there is nothing to
    judge, for today or at all.

    Nothing of a team in which the judge's account is, or the `reader` who is signed in
    where it is shown.
    """
    campaign = judge.campaign
    if not campaign.open or judge.excluded_at is not None:
        return None
    with transaction.atomic():
        lock_rows(Judge.objects.filter(pk=judge.pk)).get()
        of_own = own_teams.submissions(judge, reader)
        still = still_there(campaign) - of_own
        own = Assignment.objects.filter(judge=judge)
        waiting = own.filter(voted_at=None).select_related("unit", "first", "second")
        for assignment in waiting:
            if _is_of(assignment, still):
                return assignment
        if not judge.model and today(judge) >= campaign.daily:
            return None
        if example := checks.training(judge, own, still, random):
            return example
        done = own.exclude(voted_at=None).filter(NO_CHECK)
        again = own_teams.without(done, of_own)
        control = checks.known_answer(judge, own, random)
        control = control or checks.control(judge, own, again, random)
        if control := control or _repeat_earlier(judge, own, again, random):
            return control
        lock_rows(Campaign.objects.filter(pk=campaign.pk)).get()
        tallies.forget_left(campaign)
        answers = (_pair if campaign.in_pairs else _single)(judge, done, still, random)
        if answers is None:
            return None
        random.shuffle(answers)
        first, second = (*answers, None)[:2]
        assert first is not None
        assignment = Assignment.objects.create(
            judge=judge, unit=first.unit, first=first, second=second
        )
        if not judge.model:
            tallies.count(campaign, assignment)
        return assignment


def still_there(campaign: Campaign) -> set[UUID]:
    """Submissions that may be judged now."""
    return set(judgements.to_judge(campaign.phase).values_list("pk", flat=True))


def _is_of(assignment: Assignment, submissions: set[UUID]) -> bool:
    answers = [
        answer for answer in (assignment.first, assignment.second) if answer is not None
    ]
    return assignment.known_id is not None or all(
        answer.submission_id in submissions for answer in answers
    )


def _repeat_earlier(
    judge: Judge, own: Rows, done: Rows, random: Random
) -> Assignment | None:
    """Something that the judge has judged, with sides changed; by chance."""
    if random.random() * 100 >= judge.campaign.controls:
        return None
    again = own.exclude(control_of=None).filter(spoiled=0)
    free = checks.earlier(done).exclude(pk__in=again.values("control_of"))
    keys = list(free.values_list("pk", flat=True))
    if not keys:
        return None
    assignment = free.select_related("first", "second").get(pk=random.choice(keys))
    sides = (
        assignment.second or assignment.first,
        assignment.first if assignment.second_id else None,
    )
    return Assignment.objects.create(
        judge=judge,
        unit_id=assignment.unit_id,
        first=sides[0],
        second=sides[1],
        control_of=assignment,
    )


def _fresh(
    judge: Judge, done: Rows, fit: QuerySet[JudgedAnswer], random: Random, **wanted: Any
) -> Iterator[int]:
    """Units that the judge has not begun and that have answers that fit, those that
    were given to the fewest first, of equals from one by chance on."""
    units = judge.campaign.units.filter(**wanted).order_by("taken", "pk")
    least = 1 if judge.campaign.in_pairs else 0
    enough = Exists(fit.filter(unit=OuterRef("pk"))[least : least + 1])
    fresh = units.filter(~Exists(done.filter(unit=OuterRef("pk"))), enough)
    taken = -1
    while unit := fresh.filter(taken__gt=taken).first():
        taken, last = unit.taken, units.filter(taken=unit.taken).last()
        start = random.randint(unit.pk, max(unit.pk, last.pk if last else 0))
        keys = fresh.filter(taken=taken).values_list("pk", flat=True)
        for part in (keys.filter(pk__gte=start), keys.filter(pk__lt=start)):
            yield from part.iterator(AT_ONCE)


def _pair(
    judge: Judge, done: Rows, still: set[UUID], random: Random
) -> list[JudgedAnswer] | None:
    """The pair of systems that was compared least, of the unit with the fewest
    judgements, among those with the fewest of the judge."""
    campaign = judge.campaign
    fit = JudgedAnswer.objects.filter(submission__in=still)
    wanted = {} if judge.model else {"taken__lt": campaign.per_unit}
    fresh = _fresh(judge, done, fit, random, **wanted)
    for unit in chain(fresh, _begun(judge, done, wanted, random)):
        mine = done.filter(unit=unit).values_list("first", "second")
        seen = {frozenset(both) for both in mine}
        answers = fit.filter(unit=unit).select_related("unit").order_by("pk")
        free = [
            both
            for both in combinations(answers, 2)
            if frozenset(answer.pk for answer in both) not in seen
        ]
        if free:
            return list(_least_compared(campaign, free, random))
    return None


def _begun(
    judge: Judge, done: Rows, wanted: Mapping[str, Any], random: Random
) -> Iterator[int]:
    """Units that the judge has begun, those of which they judged the fewest first."""
    mine = Counter(dict(done.order_by().values_list("unit").annotate(Count("pk"))))
    units = judge.campaign.units.filter(pk__in=done.values("unit"), **wanted)
    most = judge.campaign.per_unit
    rows = [
        (mine[unit], taken, random.random(), unit)
        for unit, taken in units.order_by("pk").values_list("pk", "taken")
        if mine[unit] < most
    ]
    for *_order, unit in sorted(rows):
        yield unit


def _least_compared(
    campaign: Campaign,
    free: Sequence[tuple[JudgedAnswer, JudgedAnswer]],
    random: Random,
) -> tuple[JudgedAnswer, JudgedAnswer]:
    pairs, systems = tallies.pair_counts(campaign), Counter[Any]()
    for both, number in pairs.items():
        systems.update(dict.fromkeys(both, number))

    def order(both: tuple[JudgedAnswer, JudgedAnswer]) -> tuple[float, ...]:
        first, other = (answer.submission_id for answer in both)
        number = pairs.get(tallies.pair_of(first, other), 0)
        return number, systems[first] + systems[other], random.random()

    return min(free, key=order)


def _single(
    judge: Judge, done: Rows, still: set[UUID], random: Random
) -> list[JudgedAnswer] | None:
    """The answer with the fewest judgements, first of units that the judge has begun:
    the same judges for all systems make comparisons surer."""
    free = JudgedAnswer.objects.filter(submission__in=still).select_related("unit")
    free = free.exclude(pk__in=done.values("first")).order_by("taken", "pk")
    if not judge.model:
        free = free.filter(taken__lt=judge.campaign.per_unit)
    answers = list(free.filter(unit__in=done.values("unit"))[:AT_ONCE])
    if not answers:
        unit = next(_fresh(judge, done, free, random), None)
        answers = list(free.filter(unit=unit))
    if not answers:
        return None
    return [min(answers, key=lambda answer: (answer.taken, random.random()))]


@dataclass(frozen=True)
class Sent:
    """A vote as a page sends it. `instead` is the key of the vote that it replaces."""

    assignment: UUID
    key: UUID
    values: Mapping[str, Any]
    seconds: int | None = None
    instead: UUID | None = None


def vote(judge: Judge, reply: Sent, reader: Any = None) -> Vote:
    """Write a vote once, however often it is sent.

    Of two windows the first to send counts. Raises Refusal for that of the other, for
    what is no assignment of this judge, and for an answer of a team in which the
    judge's account is, or the `reader` who sends it.
    """
    with transaction.atomic():
        judge = lock_rows(Judge.objects.filter(pk=judge.pk)).get()
        rows = Assignment.objects.filter(judge=judge, key=reply.assignment)
        if (assignment := rows.first()) is None:
            sentence = _("This was not given to you to judge. Go on with the next one.")
            raise Refusal(sentence, code="not_yours")
        if again := assignment.votes.filter(key=reply.key).first():
            return again
        if not judge.campaign.open or judge.excluded_at is not None:
            sentence = _("Judging is over; what you sent before is kept.")
            raise Refusal(sentence, code="closed")
        if judge.model:
            models_of_people.require(judge.campaign, judge.account.user)
        if own_teams.shows_own(assignment, judge, reader):
            sentence = _("This is an answer of your own team: go on with the next one.")
            raise Refusal(sentence, code="own_team")
        current = assignment.votes.filter(replaced_at=None).first()
        if current is not None and current.key != reply.instead:
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
            if not (assignment.counted or assignment.is_check or judge.model):
                # It was left for long, and is counted no more.
                lock_rows(Campaign.objects.filter(pk=judge.campaign_id)).get()
                tallies.count(judge.campaign, assignment)
        seconds = reply.seconds
        if seconds is not None:
            seconds = min(max(seconds, 0), LONGEST_LOOK)
        return Vote.objects.create(
            assignment=assignment,
            key=reply.key,
            values=dict(reply.values),
            seconds=seconds,
            told=judge.campaign.wording_version,
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
    """Units of which people judge answers of systems."""
    answers = JudgedAnswer.objects.filter(unit=OuterRef("pk"))
    return campaign.units.filter(Exists(answers.exclude(submission=None))).count()
