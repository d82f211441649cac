"""How often units, answers and pairs of systems were given to people to judge.

Kept beside the assignments, so that the next item costs as much after a hundred
thousand votes as after ten. An assignment counts from when somebody gets it, no more
once it was left for long, and again when its vote comes; controls, excluded judges,
judge models and answers of a judge's own team count nowhere. Whoever changes a tally
has locked the campaign.
"""

from collections import Counter
from typing import Any
from uuid import UUID

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from leaderboard.extras.judging import own_teams
from leaderboard.extras.judging.models import (
    NO_CHECK,
    UNDER_WAY,
    Assignment,
    Campaign,
    JudgedAnswer,
    JudgedPair,
    JudgedUnit,
)


def pair_of(first: Any, second: Any) -> tuple[Any, Any]:
    """Two systems, in an order that does not depend on the sides."""
    return min(first, second), max(first, second)


def pair_counts(campaign: Campaign) -> dict[tuple[UUID, UUID], int]:
    rows = JudgedPair.objects.filter(campaign=campaign)
    return {(x, y): n for x, y, n in rows.values_list("low", "high", "taken")}


def count(campaign: Campaign, assignment: Assignment, by: int = 1) -> None:
    """Count an assignment, or with -1 no more."""
    Assignment.objects.filter(pk=assignment.pk).update(counted=by > 0)
    answers = [
        pk for pk in (assignment.first_id, assignment.second_id) if pk is not None
    ]
    JudgedUnit.objects.filter(pk=assignment.unit_id).update(taken=F("taken") + by)
    JudgedAnswer.objects.filter(pk__in=answers).update(taken=F("taken") + by)
    if assignment.second is not None:
        low, high = pair_of(
            assignment.first.submission_id, assignment.second.submission_id
        )
        place = {"campaign": campaign, "low_id": low, "high_id": high}
        if not JudgedPair.objects.filter(**place).update(taken=F("taken") + by):
            JudgedPair.objects.create(**place, taken=by)


def forget_left(campaign: Campaign) -> None:
    """Count no more what somebody opened and left. Asked for by time alone, and so
    read from an index of what is open, which is short."""
    rows = Assignment.objects.filter(
        counted=True, voted_at=None, at__lt=timezone.now() - UNDER_WAY
    )
    for assignment in rows.order_by("at").select_related("judge", "first", "second"):
        if assignment.judge.campaign_id == campaign.pk:
            count(campaign, assignment, -1)


def recount(campaign: Campaign) -> None:
    """Count all anew: a judge was left out or counts again, or votes were taken in."""
    rows = Assignment.objects.filter(judge__campaign=campaign)
    lately = timezone.now() - UNDER_WAY
    under_way = Q(voted_at__isnull=False) | Q(at__gte=lately)
    by_people = Q(judge__excluded_at=None, judge__model="")
    counted = rows.filter(NO_CHECK, under_way, by_people)
    counted = counted.exclude(pk__in=own_teams.assignments(campaign))
    rows.filter(counted=True).exclude(pk__in=counted.values("pk")).update(counted=False)
    Assignment.objects.filter(pk__in=counted.values("pk")).update(counted=True)
    counted = rows.filter(counted=True).order_by()
    campaign.units.update(taken=_number(counted, "unit"))
    answers = JudgedAnswer.objects.filter(unit__campaign=campaign)
    answers.update(taken=_number(counted, "first") + _number(counted, "second"))
    sums: Counter[tuple[UUID, UUID]] = Counter()
    both = counted.exclude(second=None)
    sides = both.values_list("first__submission", "second__submission")
    for first, second, number in sides.annotate(Count("pk")):
        sums[pair_of(first, second)] += number
    JudgedPair.objects.filter(campaign=campaign).delete()
    JudgedPair.objects.bulk_create(
        JudgedPair(campaign=campaign, low_id=low, high_id=high, taken=number)
        for (low, high), number in sums.items()
    )


def _number(counted: QuerySet[Assignment], field: str) -> Coalesce:
    """How many of these are about the row, as the field says."""
    of_row = counted.filter(**{field: OuterRef("pk")}).values(field)
    return Coalesce(Subquery(of_row.annotate(n=Count("pk")).values("n")), 0)
