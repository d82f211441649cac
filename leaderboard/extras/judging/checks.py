"""Checks of judges: answers spoiled on purpose, and answers known to be good or bad.

Of two answers one is the other spoiled, so that it is known which is better. A single
answer that was spoiled has to get less than the same judge gave it whole. Some of these
make a training round with feedback. Known answers are the organizers' own, each judge
gets each once, and nothing that a judge sees tells them from others.
"""

from collections.abc import Mapping
from random import Random
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from leaderboard.extras.judging.models import (
    HIGHEST,
    PENALTY,
    Assignment,
    Campaign,
    Choice,
    Judge,
    JudgedAnswer,
    KnownAnswer,
)
from leaderboard.extras.judging.spans import words_of

# Shorter answers lose their meaning when they are spoiled, or do not change.
LEAST_WORDS = 4
# A control comes when so much else was judged meanwhile.
BETWEEN = 5
TRIED = 20  # answers


def can_spoil(text: str) -> bool:
    return len(words_of(text)) >= LEAST_WORDS


def spoil(text: str, seed: str) -> str:
    """A text without every third word, and with the others in pairs the wrong way
    round."""
    words = [word for word in words_of(text) if word.number % 3]
    if Random(seed).random() < 0.5:
        words = [*words[1:], words[0]]
    for i in range(0, len(words) - 1, 2):
        words[i], words[i + 1] = words[i + 1], words[i]
    return "".join(word.text + (word.after or " ") for word in words).strip()


def texts(assignment: Assignment) -> list[str]:
    """The answers that an assignment shows, in their order."""
    both = [answer.text for answer in (assignment.first, assignment.second) if answer]
    if place := assignment.spoiled:
        both[place - 1] = spoil(both[place - 1], str(assignment.key))
    return both


def training(
    judge: Judge, own: QuerySet[Assignment], still: set[UUID], random: Random
) -> Assignment | None:
    """Examples that a person judges first, and is told what was right."""
    most = judge.campaign.training
    if judge.model or not most or own.filter(training=True).count() >= most:
        return None
    units = list(judge.campaign.units.order_by("pk").values_list("pk", flat=True))
    chosen = random.sample(units, min(TRIED, len(units)))
    rows = JudgedAnswer.objects.filter(unit__in=chosen, submission__in=still)
    fit = [answer for answer in rows.order_by("pk") if can_spoil(answer.text)]
    return (
        _make_assignment(judge, random.choice(fit), random, training=True)
        if fit
        else None
    )


def earlier(done: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Votes before the last few, so that something else was judged meanwhile."""
    last = done.order_by("-pk").values_list("pk", flat=True)
    edge = last[BETWEEN : BETWEEN + 1].first()
    return done.filter(pk__lte=edge or 0)


def control(
    judge: Judge,
    own: QuerySet[Assignment],
    done: QuerySet[Assignment],
    random: Random,
) -> Assignment | None:
    """Something that the judge has judged, spoiled; by chance."""
    share = judge.campaign.spoiled
    if not share or random.random() * 100 >= share:
        return None
    spoiled = own.exclude(spoiled=0).values("first")
    free = list(earlier(done).exclude(first__in=spoiled).select_related("first"))
    for assignment in random.sample(free, min(TRIED, len(free))):
        if can_spoil(assignment.first.text):
            before = None if judge.campaign.in_pairs else assignment
            return _make_assignment(judge, assignment.first, random, control_of=before)
    return None


def known_answer(
    judge: Judge, own: QuerySet[Assignment], random: Random
) -> Assignment | None:
    """An answer of which it is known what is right, by chance; each at most once."""
    campaign = judge.campaign
    if not campaign.known or random.random() * 100 >= campaign.known_share:
        return None
    rows = KnownAnswer.objects.filter(unit__campaign=campaign).order_by("pk")
    free = rows.exclude(pk__in=own.exclude(known=None).values("known"))
    if not (keys := list(free.values_list("pk", flat=True))):
        return None
    pair = rows.select_related("better", "worse").get(pk=random.choice(keys))
    sides: list[Any] = [pair.better, pair.worse]
    if pair.worse is not None:
        random.shuffle(sides)
    return Assignment.objects.create(
        judge=judge, unit_id=pair.unit_id, first=sides[0], second=sides[1], known=pair
    )


def knew(
    campaign: Campaign, known_answer: KnownAnswer, first: int, values: Mapping[str, Any]
) -> bool:
    """Whether a vote on a known answer is right; `first` is the answer shown first."""
    if campaign.in_pairs:
        right = Choice.LEFT if first == known_answer.better_id else Choice.RIGHT
        return bool(values["choice"] == right)
    assert known_answer.low is not None and known_answer.high is not None
    return bool(known_answer.low <= values[campaign.columns[0]] <= known_answer.high)


def _make_assignment(
    judge: Judge, answer: JudgedAnswer, random: Random, **more: Any
) -> Assignment:
    pairs = judge.campaign.in_pairs
    return Assignment.objects.create(
        judge=judge,
        unit_id=answer.unit_id,
        first=answer,
        second=answer if pairs else None,
        spoiled=random.choice((1, 2)) if pairs else 1,
        **more,
    )


def has_passed(
    campaign: Campaign,
    place: int,
    now: Mapping[str, Any],
    before: Mapping[str, Any] | None,
) -> bool:
    """Whether a vote on a spoiled answer is as it has to be; of a single one, beside
    the vote `before` on the whole one."""
    if campaign.in_pairs:
        return bool(now["choice"] == (Choice.RIGHT if place == 1 else Choice.LEFT))
    if not before:
        return True
    column = campaign.columns[0]
    if column == PENALTY:
        return bool(now[column] > before[column])
    worst = 1 if campaign.marks else 0
    return bool(now[column] < before[column] or before[column] == worst)


def feedback(assignment: Assignment, values: Mapping[str, Any]) -> str:
    """The sentence after a vote of the training round; "" otherwise."""
    if not assignment.training or not values:
        return ""
    campaign = assignment.judge.campaign
    if not campaign.in_pairs:
        if _is_low(campaign, values):
            return _(
                "That was right: words were taken out of this answer and changed round "
                "on purpose. Such an answer gets a low value."
            )
        return _(
            "That was not right: words were taken out of this answer and changed "
            "round on purpose. Such an answer gets a low value."
        )
    right = has_passed(campaign, assignment.spoiled, values, None)
    better = _("the second") if assignment.spoiled == 1 else _("the first")
    sentence = _(
        "That was right: %(better)s is better, as words of the other were taken out "
        "and changed round on purpose."
    )
    if not right:
        sentence = _(
            "That was not right: %(better)s is better, as words of the other were "
            "taken out and changed round on purpose."
        )
    return sentence % {"better": better}


def _is_low(campaign: Campaign, values: Mapping[str, Any]) -> bool:
    """Whether a single answer got a value of the lower half, or errors marked."""
    if campaign.marks_errors:
        return bool(values["spans"])
    worst, best = (1, len(campaign.steps)) if campaign.marks else (0, HIGHEST)
    return bool(values[campaign.columns[0]] < (worst + best) / 2)
