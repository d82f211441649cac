"""Adaptive choice of pairs: the most informative ones more often.

A pair is drawn with a chance proportional to what one more vote on it is expected to
take off the variance of the gap between its systems, and one time in ten among all
alike. Which pair comes depends on votes before it and on chance, on nothing else; so
the likelihood of the ratings is what it is for pairs that were fixed beforehand.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
from django.core.cache import cache
from django.db.models import Count

from leaderboard.extras.judging.models import (
    NO_CHECK,
    Assignment,
    Campaign,
    Choice,
    JudgedAnswer,
)
from leaderboard.extras.judging.votes import BY_CHANCE, gains

SECONDS = 10  # until votes are counted anew
Pair = tuple[JudgedAnswer, JudgedAnswer]
Outcome = list[Any]  # two systems, the choice, and how often


def chosen(campaign: Campaign, free: Sequence[Pair], random: Random) -> Pair:
    """One of these pairs."""
    if random.random() < BY_CHANCE:
        return random.choice(free)
    pairs = [tuple(str(answer.submission_id) for answer in both) for both in free]
    outcomes = _outcomes(campaign)
    names = {
        *(x for both in pairs for x in both),
        *(x for o in outcomes for x in o[:2]),
    }
    place = {name: i for i, name in enumerate(sorted(names))}
    table = np.zeros((2, len(place), len(place)))
    for first, second, choice, number in outcomes:
        one, other = place[first], place[second]
        if choice == Choice.LEFT:
            table[0, one, other] += number
        elif choice == Choice.RIGHT:
            table[0, other, one] += number
        else:  # equal, or both bad
            table[1, one, other] += number
    found = gains(table)
    weights = [float(found[place[one], place[other]]) for one, other in pairs]
    return random.choices(free, weights)[0]


def _outcomes(campaign: Campaign) -> list[Outcome]:
    """How often two systems stood first and second, and this was chosen, a moment ago:
    one look at all votes is for many judges."""
    key = f"judging-outcomes-{campaign.pk}"
    found: list[Outcome] | None = cache.get(key)
    if found is None:
        found = _counted(campaign)
        cache.set(key, found, SECONDS)
    return found


def _counted(campaign: Campaign) -> list[Outcome]:
    given = Assignment.objects.filter(
        NO_CHECK,
        judge__campaign=campaign,
        judge__excluded_at=None,
        judge__model="",
        voted_at__isnull=False,
        votes__replaced_at=None,
    )
    asked = ("first__submission", "second__submission", "votes__values__choice")
    rows = given.order_by().values_list(*asked).annotate(Count("pk"))
    return [[str(x), str(y), choice, n] for x, y, choice, n in rows if choice]
