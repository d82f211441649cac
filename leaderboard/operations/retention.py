"""Retention: data that are removed by themselves when they have served."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Q
from django.utils import timezone

from leaderboard.api.idempotency import KEPT
from leaderboard.api.models import KeptAnswer
from leaderboard.mail.models import Mail
from leaderboard.operations.models import BackupRun, Incident
from leaderboard.operations.redaction import Redaction, scrub
from leaderboard.organize.mail import MESSAGE
from leaderboard.tasks.models import Change, Invitation
from leaderboard.teams.accounts import ACCOUNT
from leaderboard.teams.creators import ANSWERED
from leaderboard.teams.mail import ACCOUNT_LASTS
from leaderboard.teams.models import DailyCount, User

log = logging.getLogger(__name__)
COUNTED = (MESSAGE, ANSWERED)  # mail of which pages say whether it was sent
AT_ONCE = 100  # invitations whose addresses are taken out of all texts


def clear() -> Counter[str]:
    """Remove what is due; how many rows of what. Repeating it does no harm."""
    removed = Counter[str]()
    for piece in pieces():
        removed.update(piece)
    return removed


def pieces() -> Iterator[dict[str, int]]:
    """The same, one kind of rows after the other."""
    now = timezone.now()
    old = now - timedelta(days=settings.KEEP_DAYS)
    removals: dict[str, Callable[[], int]] = {
        "sessions": lambda: _delete(Session.objects.filter(expire_date__lt=now)),
        "answers": lambda: _delete(KeptAnswer.objects.filter(at__lt=now - KEPT)),
        "counts": lambda: _delete(DailyCount.objects.filter(day__lt=now.date())),
        "mail": lambda: _remove_mail(old, now - ACCOUNT_LASTS),
        "errors": lambda: _blank_errors(old),
        "addresses": lambda: _blank_addresses(old),
        "invitations": lambda: _remove_invitations(old),
        "incidents": lambda: _remove_incidents(old),
    }
    for name, remove in removals.items():
        if number := remove():
            log.info("cleared: %d %s", number, name)
        yield {name: number}


def _remove_mail(old: datetime, yesterday: datetime) -> int:
    """Remove mail that is old, sent or not; that of accounts the day after."""
    due = Q(at__lt=old) & ~Q(kind__in=COUNTED) | Q(at__lt=yesterday, kind=ACCOUNT)
    return _delete(Mail.objects.filter(due))


def _blank_errors(old: datetime) -> int:
    """Blank the errors of mail servers, with the addresses that they quote."""
    return Mail.objects.filter(at__lt=old).exclude(error="").update(error="")


def _remove_incidents(old: datetime) -> int:
    """Remove incidents that are over, and records of old backups."""
    last = BackupRun.objects.filter(problem="").values_list("pk", flat=True)[:1]
    BackupRun.objects.filter(at__lt=old).exclude(pk__in=list(last)).delete()
    over = Incident.objects.filter(ended_at__lt=old)
    number = over.count()
    over.delete()
    return number


def _delete(rows: Any) -> int:
    """Delete rows in one statement, as nothing hangs on them."""
    return int(rows._raw_delete(rows.db))


def _blank_addresses(old: datetime) -> int:
    """Blank the addresses of computers from which something was changed."""
    placed = Change._base_manager.filter(timestamp__lt=old)
    placed = placed.filter(~Q(remote_addr=None) | ~Q(remote_port=None))
    return placed.update(remote_addr=None, remote_port=None)


def _remove_invitations(old: datetime) -> int:
    """Remove invitations of people who never came, and their addresses everywhere."""
    due = Invitation.objects.filter(at__lt=old, accepted_at=None)[:AT_ONCE]
    mails = dict(due.values_list("pk", "email"))
    Invitation.objects.filter(pk__in=list(mails)).delete()
    left = set(mails.values()) - set(
        User.objects.filter(email__in=mails.values()).values_list("email", flat=True)
    )
    scrub(Redaction(frozenset(left), frozenset(), "an invited address"))
    return len(mails)
