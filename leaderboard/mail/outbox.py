"""The outbox: mail is a row that is written with what it tells of, and sent after it.

A row is claimed by a conditional UPDATE before its mail is handed to the mail server
and marked after. A crash in between leaves it unmarked, and it is sent again with the
same Message-ID: somebody may then get it twice, but nobody never. In workers all this
is done by `mail.sender`, beside what scores; no page waits for a mail server.

Each app's module `mail` says which kinds of mail it writes (`MailKind`). What a mail
says is asked for when it is sent, so it shows what its reader may see at that moment.
"""

# Loaded here, not by the thread that connects to the mail server
import encodings.idna  # noqa: F401
import logging
import os
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain, zip_longest
from math import inf
from smtplib import SMTPDataError, SMTPException, SMTPRecipientsRefused
from threading import RLock
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.dispatch import Signal
from django.utils import timezone

from leaderboard.mail.models import MOST_TRIES, Mail
from leaderboard.mail.sender import Round

log = logging.getLogger(__name__)

FIRST_PAUSE = timedelta(minutes=1)
AT_ONCE, MOST_AT_ONCE = 100, 1000  # rows, and those of the same people
TOGETHER = 20  # what so many tell of is asked for at once
FRESH_SECONDS = 5.0  # then it is asked for once more
# The server is there and refuses this reader, or the address is no address.
PERSONAL = (SMTPRecipientsRefused, SMTPDataError, ValueError)
# Unsent rows that wait for the mail server, not for one bad address
HELD_UP = ~Q(error__regex=f"^({'|'.join(kind.__name__ for kind in PERSONAL)}):")
KINDS: dict[str, "MailKind"] = {}
# Sent when mail was ordered and its transaction is over.
ordered = Signal()
# Mail is written beside a worker that forks for each file that it scores, and whatever
# the thread has locked at that moment stays locked in the child. So no process forks
# while a mail is being written, which takes hundredths of a second.
_writing = RLock()
os.register_at_fork(
    before=_writing.acquire,
    after_in_parent=_writing.release,
    after_in_child=_writing.release,
)


class NotWanted(Exception):
    """The mail of a row is not to be sent any more; says why."""


def one_line(text: str) -> str:
    """A header has one line: a second one could be a header of its own."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def prefix_subject(subject: str) -> str:
    """A subject that begins with the name of the site."""
    return one_line(f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}")


def host() -> str:
    return urlsplit(settings.SITE_URL).hostname or "localhost"


def message_id(row: Mail) -> str:
    """The id of a mail, the same when it is sent twice, by which mail programs show it
    once."""
    return f"<{row.name.hex}@{host()}>"


@dataclass(frozen=True)
class MailKind:
    """A kind of mail: where the rows are that it tells of, and what it says.

    `written` makes the mail of a row, and of what the row is about, for each time that
    it is tried, or raises NotWanted. `about` is None where the row says it all. What is
    due at once to one person and has the same `topic` is one mail, made of all.
    """

    name: str
    written: Callable[[Mail, Any], EmailMessage]
    about: QuerySet[Any] | None = None
    topic: Callable[[Any], Hashable] | None = None
    joined: Callable[[Sequence[EmailMessage]], EmailMessage] | None = None

    def __post_init__(self) -> None:
        KINDS[self.name] = self

    def message(self, row: Mail, about: Any = None) -> EmailMessage:
        """The mail of a row; `about` is what it tells of, where that was read a moment
        ago. Raises NotWanted."""
        if about is None and self.about is not None:
            about = self.about.filter(pk=row.about).first()
            if about is None:
                raise NotWanted("what it tells of is gone")
        message = self.written(row, about)
        message.extra_headers.setdefault("Message-ID", message_id(row))
        return message

    def groups(self, rows: Iterable[Mail]) -> Iterator["MailGroup"]:
        """Rows grouped by the mail that tells of them; objects are read together."""
        for some in _batches(rows, by_person=self.topic is not None):
            objects: dict[int, Any] = {}
            if self.about is not None:
                objects = self.about.in_bulk([row.about for row in some])
            now = time.monotonic()
            by_topic: dict[Hashable, list[Mail]] = {}
            for row in some:
                about = objects.get(row.about or 0)
                if self.topic is None or about is None:
                    topic: Hashable = row.pk
                else:
                    topic = row.user_id, self.topic(about)
                by_topic.setdefault(topic, []).append(row)
            for together in by_topic.values():
                yield MailGroup(self, together, objects, now)


@dataclass(frozen=True)
class MailGroup:
    """Rows of which one mail tells, and the objects they are about, read at `at`."""

    kind: MailKind
    rows: Sequence[Mail]
    objects: Mapping[int, Any]
    at: float

    def message(self, rows: Sequence[Mail]) -> tuple[EmailMessage | None, list[Mail]]:
        """The mail, and the rows that it tells of: not those that nobody wants."""
        fresh = time.monotonic() - self.at < FRESH_SECONDS
        messages, wanted = [], []
        for row in rows:
            about = self.objects.get(row.about or 0) if fresh else None
            try:
                messages.append(self.kind.message(row, about))
            except NotWanted as reason:
                mark(row, tried=MOST_TRIES, error=str(reason), sealed="")
            else:
                wanted.append(row)
        if len(messages) < 2 or self.kind.joined is None:
            return (messages[0] if messages else None), wanted
        joined = self.kind.joined(messages)
        joined.extra_headers.setdefault("Message-ID", message_id(wanted[0]))
        return joined, wanted


def _batches(rows: Iterable[Mail], by_person: bool) -> Iterator[list[Mail]]:
    """Batches of so many rows, or a few more, so that one person's are in one."""
    some: list[Mail] = []
    for row in rows:
        same = by_person and some and some[-1].user_id == row.user_id
        if len(some) >= TOGETHER and not same:
            yield some
            some = []
        some.append(row)
    if some:
        yield some


def order(*rows: Mail, hint: bool = True) -> None:
    """Store mail in the transaction of what it tells of; a mail ordered twice is one.

    It is sent after the transaction, or without a hint when the clock next looks.
    """
    Mail.objects.bulk_create(rows, ignore_conflicts=True)
    if hint:
        transaction.on_commit(lambda: ordered.send(Mail), robust=True)


def unsent(rows: QuerySet[Any], most: int = MOST_TRIES) -> QuerySet[Any]:
    """Rows that are still to be sent: neither given up nor no longer wanted."""
    return rows.filter(sent_at=None, tried__lt=most)


def due(rows: QuerySet[Any], most: int = MOST_TRIES) -> QuerySet[Any]:
    waiting = unsent(rows, most).filter(not_before__lte=Now())
    return waiting.order_by("not_before", "pk")


def send(*kinds: str, limit: Round | None = None) -> int:
    """Send what is due, of these kinds or of all, one of each kind in turn; how many
    were sent.

    It stops when the mail server is not there, or the round is over.
    """
    limit = limit or Round(inf)
    number = 0
    connection = get_connection()
    try:
        for group in _groups_in_turn(kinds or tuple(KINDS)):
            if limit.over:
                break
            ours = [r for r in group.rows if claim(r, FIRST_PAUSE * 4**r.tried)]
            if ours and not _send(group, ours, connection):
                break
            number += sum(row.sent_at is not None for row in ours)
    finally:
        connection.close()
    return number


def _groups_in_turn(kinds: Iterable[str]) -> Iterator[MailGroup]:
    """Mail that is due, in turn: mail to hundreds of people holds up no other mail."""
    rows = due(Mail.objects.filter(kind__in=kinds)).select_related("user")
    names = sorted(set(rows.order_by().values_list("kind", flat=True)))
    each = [
        KINDS[kind].groups(_due_rows(KINDS[kind], rows.filter(kind=kind)))
        for kind in names
    ]
    return filter(None, chain.from_iterable(zip_longest(*each)))


def _due_rows(kind: MailKind, rows: QuerySet[Mail]) -> Iterable[Mail]:
    """The rows that have been due longest and, where several may be one mail, what else
    is due to the same people, person by person."""
    oldest = rows[:AT_ONCE]
    if kind.topic is None:
        return oldest
    people = list(dict.fromkeys(row.user_id for row in oldest))
    theirs = rows.filter(user__in=people)[:MOST_AT_ONCE]
    return sorted(theirs, key=lambda row: people.index(row.user_id))


def claim(row: Any, pause: timedelta, **fields: object) -> bool:
    """Claim a row until the pause is over; False where somebody else did so first."""
    same = type(row).objects.filter(pk=row.pk, tried=row.tried, sent_at=None)
    fields |= {"tried": row.tried + 1, "not_before": Now() + pause}
    return bool(same.update(**fields))


def _send(group: MailGroup, ours: Sequence[Mail], connection: BaseEmailBackend) -> bool:
    """Send one mail and mark its rows; False when trying the next is of no use now."""
    with _writing:
        message, rows = group.message(ours)
        if message is None:
            return True
        with suppress(ValueError):  # of an address, which sending it raises again
            message.message()  # loads what the encoding of that text needs
    try:
        connection.send_messages([message])
    except (SMTPException, OSError, ValueError) as error:
        return all([_note_failure(row, error) for row in rows])
    now = timezone.now()
    for row in rows:
        row.sent_at = now
        mark(row, sent_at=now, error="", sealed="")
    return True


def _note_failure(row: Mail, error: Exception) -> bool:
    """Note a failure. Only what one address causes can use up its tries."""
    personal = isinstance(error, PERSONAL)
    log.warning("mail %s failed: %s", row.pk, type(error).__name__)
    fields: dict[str, object] = {"error": f"{type(error).__name__}: {error}"[:300]}
    if not personal:
        fields["tried"] = min(row.tried + 1, MOST_TRIES - 1)
    elif row.tried + 1 >= MOST_TRIES:
        fields["sealed"] = ""
    mark(row, **fields)
    return personal


def mark(row: Any, **fields: object) -> None:
    """Store what became of a row."""
    type(row).objects.filter(pk=row.pk).update(**fields)
