"""Letters of organizers: who gets one, and how all of them arrive.

A letter and its deliveries are rows, written together; `tasks.outbox` sends them.
"""

from collections.abc import Callable
from datetime import timedelta

from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.organize.mail import Envelope
from leaderboard.tasks import outbox
from leaderboard.tasks.lock import lock_task
from leaderboard.tasks.models import (
    Delivery,
    Letter,
    Participant,
    Participation,
    Task,
)
from leaderboard.teams.models import User

ALL = "all"
TEAM = "team "
MOST_TRIES = outbox.MOST_TRIES
TWICE = timedelta(minutes=10)
SWITCHED_OFF = "has switched letters off"


class SentAlready(Exception):
    """The same letter was written a moment ago."""


def readers(task: Task, audience: str) -> QuerySet[User]:
    """People of the entries that an audience means; members who joined later too."""
    entries = Participation.objects.filter(task=task)
    if audience.startswith(TEAM):
        entries = entries.filter(pk=audience.removeprefix(TEAM))
    elif audience != ALL:
        entries = entries.filter(status=audience)
    here = Participant.objects.filter(user=OuterRef("pk"), task=task)
    inside = here.filter(participation__in=entries, left_at=None)
    taking_part = Q(Exists(inside))
    joined_later = Q(teams__participations__in=entries) & ~Exists(here)
    found = User.objects.filter(taking_part | joined_later, is_active=True)
    return found.distinct().order_by("pk")


def write(letter: Letter, tell: Callable[[], object]) -> Letter:
    """Keep a letter with a delivery for each reader; `tell` runs after commit.

    Raises SentAlready for what was written minutes ago, as a second click would.
    """
    with transaction.atomic():
        lock_task(letter.task.pk)
        same = Letter.objects.filter(
            task=letter.task,
            by=letter.by,
            audience=letter.audience,
            subject=letter.subject,
            text=letter.text,
            at__gt=timezone.now() - TWICE,
        )
        if same.exists():
            raise SentAlready
        letter.save()
        Delivery.objects.bulk_create(
            Delivery(letter=letter, user=reader) for reader in wanting(letter)
        )
        transaction.on_commit(tell, robust=True)
    return letter


def wanting(letter: Letter) -> QuerySet[User]:
    """Its readers but those who switched letters off, unless it is important."""
    found = readers(letter.task, letter.audience)
    return found if letter.important else found.filter(wants_letters=True)


def due() -> QuerySet[Delivery]:
    return outbox.due(Delivery.objects.all())


def post() -> int:
    """Send what is due; how many were sent. Stops when the mail server is not there."""
    related = ("letter__task", "letter__by", "user")
    return outbox.post(Delivery.objects.select_related(*related), written)


def written(delivery: Delivery) -> EmailMessage:
    """Raises posting.NotWanted for readers who switched letters off meanwhile."""
    letter, reader = delivery.letter, delivery.user
    if not (reader.is_active and (letter.important or reader.wants_letters)):
        raise outbox.NotWanted(SWITCHED_OFF)
    return Envelope(letter, reader, delivery.pk).message()


def audience_in_words(audience: str) -> str:
    if audience == ALL:
        return _("Everybody who entered")
    if audience.startswith(TEAM):
        return _("One team")
    return str(Participation.Status(audience).label)
