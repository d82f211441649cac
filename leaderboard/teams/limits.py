"""Limits of a day that their subject cannot clear.

Counted is what was sent or begun, in rows of their own (`DailyCount`): who takes an
invitation back or deletes a draft gets nothing back. A day is one of UTC. It is counted
in the transaction of what it is about, so that what is not done does not count.
"""

import time
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import salted_hmac

from leaderboard.teams.models import DailyCount, User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.requests import asker

DAY = 24 * 3600


class _Full(Exception):
    """A subject has no room for so many more today."""


def take(kind: str, most: int, *subjects: str | User, number: int = 1) -> bool:
    """Count so many more of a kind for each subject; False, and nothing is counted,
    where one of them would have more than `most` today."""
    try:
        with transaction.atomic():
            for subject in subjects:
                if isinstance(subject, User):
                    subject = f"person {subject.pk}"
                _add(f"{kind}: {subject}", most, number)
    except _Full:
        return False
    return True


def require(
    sentence: Any, kind: str, most: int, *subjects: str | User, number: int = 1
) -> None:
    """Count what is done as `take` does. Raises Refusal where there is no room, with
    the sentence, in which `n` is the most."""
    if not take(kind, most, *subjects, number=number):
        raise Refusal(
            sentence % {"n": most},
            code="too_many_today",
            status=429,
            retry_seconds=left_of_day(),
        )


def hidden(asker: Any) -> str:
    """A person or an address as a subject, by which nobody is found again."""
    return salted_hmac("limits", str(asker), algorithm="sha256").hexdigest()[:32]


def hidden_asker() -> str:
    """The asker as such a subject; empty where a command asks."""
    who = asker()
    return "" if who is None else hidden(who)


def left_of_day() -> int:
    """Seconds until the next day begins."""
    return DAY - int(time.time() % DAY)


def _add(what: str, most: int, number: int) -> None:
    """Raises _Full."""
    day = timezone.now().date()
    rows = DailyCount.objects.filter(what=what, day=day, number__lte=most - number)
    if rows.update(number=F("number") + number):
        return
    new = DailyCount(what=what, day=day, number=0)
    DailyCount.objects.bulk_create([new], ignore_conflicts=True)
    if not rows.update(number=F("number") + number):
        raise _Full
