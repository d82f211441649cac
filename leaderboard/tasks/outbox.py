"""The post: how mail that stands in rows arrives, and whatever else is sent so.

A row is claimed by a conditional UPDATE before its mail is handed to the mail server
and marked after. A crash in between leaves it unmarked, and it is sent again with the
same Message-ID: somebody may then get it twice, but nobody never. Rows have `tried`,
`not_before`, `sent_at` and `error`. In workers all this is done by `tasks.sender`.
"""

# Loaded here, not by the thread that connects to the mail server
import encodings.idna  # noqa: F401
import logging
import os
from collections.abc import Callable, Iterator
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
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.tasks.models import Task
from leaderboard.tasks.sender import Round

log = logging.getLogger(__name__)

MOST_TRIES = 6
FIRST_PAUSE = timedelta(minutes=1)
AT_ONCE = 100
# The server is there and refuses this reader, or the address is no address.
PERSONAL = (SMTPRecipientsRefused, SMTPDataError, ValueError)
# Unsent rows that wait for the mail server, not for one bad address
HELD_UP = ~Q(error__regex=f"^({'|'.join(kind.__name__ for kind in PERSONAL)}):")
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


def subject_of(task: Task, subject: str) -> str:
    return one_line(f"[{task.title}] {subject}")


def site(path: str) -> str:
    return f"{settings.SITE_URL}{path}"


def host() -> str:
    return urlsplit(settings.SITE_URL).hostname or "localhost"


def message_id(name: str) -> str:
    """Sent twice a mail has the same one, by which mail programs show it once."""
    return f"<{name}@{host()}>"


def headers(task: Task, name: str, off: str) -> dict[str, str]:
    """Headers of a mail called `name`, which the address `off` stops."""
    return {
        "Message-ID": message_id(name),
        "List-Id": f"<{task.slug}.{host()}>",
        "List-Unsubscribe": f"<{off}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def unsent(rows: QuerySet[Any], most: int = MOST_TRIES) -> QuerySet[Any]:
    """Rows that are still to be sent: neither given up nor no longer wanted."""
    return rows.filter(sent_at=None, tried__lt=most)


Written = Callable[[Any], EmailMessage]


def nothing() -> None:
    """Nothing is to be made before the rows are read."""


@dataclass(frozen=True)
class MailKind:
    """A kind of mail: the rows that stand for it, and what is written for each.

    `written` makes the mail of a row or raises NotWanted. `order` makes the rows that
    are missing.
    """

    rows: Callable[[], QuerySet[Any]]
    written: Written
    order: Callable[[], object] = nothing


def due(rows: QuerySet[Any], most: int = MOST_TRIES) -> QuerySet[Any]:
    waiting = unsent(rows, most).filter(not_before__lte=Now())
    return waiting.order_by("not_before", "pk")


def post(*kinds: MailKind, limit: Round | None = None) -> int:
    """Order what is new and send what is due, one of each kind in turn.

    How many were sent. Stops when the mail server is not there, or the round is over.
    """
    limit = limit or Round(inf)
    sent = 0
    connection = get_connection()
    try:
        for kind, row in _in_turn(kinds):
            if limit.over:
                break
            if not claim(row, FIRST_PAUSE * 4**row.tried):
                continue
            if not _send(row, kind.written, connection):
                break
            sent += row.sent_at is not None
    finally:
        connection.close()
    return sent


def _in_turn(kinds: tuple[MailKind, ...]) -> Iterator[tuple[MailKind, Any]]:
    """Rows that are due, in turn: mail to hundreds of people holds up no other mail."""
    rows = []
    for kind in kinds:
        kind.order()
        rows.append([(kind, row) for row in due(kind.rows())[:AT_ONCE]])
    return filter(None, chain.from_iterable(zip_longest(*rows)))


def claim(row: Any, pause: timedelta, **fields: object) -> bool:
    """Whether it is ours until the pause is over; nobody else claimed it since."""
    same = type(row).objects.filter(pk=row.pk, tried=row.tried, sent_at=None)
    fields |= {"tried": row.tried + 1, "not_before": Now() + pause}
    return bool(same.update(**fields))


def _send(row: Any, written: Written, connection: BaseEmailBackend) -> bool:
    """Send one and mark it; False when trying the next is of no use now."""
    try:
        with _writing:
            message = written(row)
            with suppress(ValueError):  # of an address, which sending it raises again
                message.message()  # loads what the encoding of that text needs
    except NotWanted as reason:
        mark(row, tried=MOST_TRIES, error=str(reason))
        return True
    try:
        connection.send_messages([message])
    except (SMTPException, OSError, ValueError) as error:
        return _failed(row, error)
    row.sent_at = timezone.now()
    mark(row, sent_at=row.sent_at, error="")
    return True


def _failed(row: Any, error: Exception) -> bool:
    """Note a failure. Only what one address causes can use up its tries."""
    personal = isinstance(error, PERSONAL)
    kind = type(row).__name__
    log.warning("%s %s failed: %s", kind, row.pk, type(error).__name__)
    tried = row.tried + 1
    reason = f"{type(error).__name__}: {error}"[:300]
    mark(row, tried=tried if personal else min(tried, MOST_TRIES - 1), error=reason)
    return personal


def mark(row: Any, **fields: object) -> None:
    """Note what became of it."""
    type(row).objects.filter(pk=row.pk).update(**fields)
