"""Retention: data that are removed by themselves when they have served."""

import logging
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Q
from django.utils import timezone

from leaderboard.api.idempotency import KEPT
from leaderboard.api.models import KeptAnswer
from leaderboard.operations.models import BackupRun, Incident
from leaderboard.operations.redaction import Words, scrub
from leaderboard.submissions import result_mail
from leaderboard.submissions.models import ResultMail
from leaderboard.tasks.models import Change, CreationMail, Delivery, Invitation
from leaderboard.teams.models import User

log = logging.getLogger(__name__)
RESULTS_AT_ONCE = 1000
AT_ONCE = 100  # invitations whose addresses are taken out of all texts


def clear() -> Counter[str]:
    """Remove what is due; how many rows of what. Repeating it does no harm."""
    now = timezone.now()
    old = now - timedelta(days=settings.KEEP_DAYS)
    removed = Counter(
        sessions=_delete(Session.objects.filter(expire_date__lt=now)),
        answers=_delete(KeptAnswer.objects.filter(at__lt=now - KEPT)),
        results=_remove_results(_mailed_before(old, now)),
        errors=_blank_errors(old),
        addresses=_blank_addresses(old),
        invitations=_remove_invitations(old),
        incidents=_remove_incidents(old),
    )
    if any(removed.values()):
        log.info("cleared: %s", {name: n for name, n in removed.items() if n})
    return removed


def _remove_results(before: datetime) -> int:
    """Remove records of mail about what ended before.

    Oldest first, until one is kept: of all events most are older.
    """
    removed = 0
    while True:
        first = ResultMail.objects.order_by("event_id")[:RESULTS_AT_ONCE]
        rows = dict(first.values_list("pk", "event__at"))
        due = [pk for pk, at in rows.items() if at < before]
        if due:
            removed += _delete(ResultMail.objects.filter(pk__in=due))
        if len(due) < RESULTS_AT_ONCE:
            return removed


def _remove_incidents(old: datetime) -> int:
    """Remove incidents that are over, with their mail, and records of old backups."""
    last = BackupRun.objects.filter(problem="").values_list("pk", flat=True)[:1]
    BackupRun.objects.filter(at__lt=old).exclude(pk__in=list(last)).delete()
    over = Incident.objects.filter(ended_at__lt=old)
    number = over.count()
    over.delete()
    return number


def _mailed_before(old: datetime, now: datetime) -> datetime:
    """Records of what ended lately stay: without one, its result is mailed again."""
    return min(old, now - 2 * result_mail.RECENT)


def _delete(rows: Any) -> int:
    """In one statement: nothing hangs on these."""
    return int(rows._raw_delete(rows.db))


def _blank_errors(old: datetime) -> int:
    """Blank the errors of mail servers, with the addresses that they quote."""
    deliveries = Delivery.objects.filter(message__at__lt=old).exclude(error="")
    requests = CreationMail.objects.filter(not_before__lt=old).exclude(error="")
    return deliveries.update(error="") + requests.update(error="")


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
    scrub(Words(frozenset(left), frozenset(), "an invited address"))
    return len(mails)
