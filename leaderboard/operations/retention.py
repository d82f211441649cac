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
from leaderboard.operations.redaction import Words, scrub
from leaderboard.submissions import result_mail
from leaderboard.submissions.models import ResultMail
from leaderboard.tasks.models import Change, Delivery, Invitation
from leaderboard.teams.models import User

log = logging.getLogger(__name__)
AT_ONCE = 100  # invitations whose addresses are taken out of all texts


def clear() -> Counter[str]:
    """Remove what is due; how many rows of what. Repeating it does no harm."""
    now = timezone.now()
    old = now - timedelta(days=settings.KEEP_DAYS)
    gone = Counter(
        sessions=_removed(Session.objects.filter(expire_date__lt=now)),
        answers=_removed(KeptAnswer.objects.filter(at__lt=now - KEPT)),
        results=_removed(
            ResultMail.objects.filter(event__at__lt=_told_before(old, now))
        ),
        errors=_blanked(old),
        addresses=_unplaced(old),
        invitations=_untaken(old),
    )
    if any(gone.values()):
        log.info("cleared: %s", {name: n for name, n in gone.items() if n})
    return gone


def _told_before(old: datetime, now: datetime) -> datetime:
    """Without its record what ended lately would be news, and told once more."""
    return min(old, now - 2 * result_mail.RECENT)


def _removed(rows: Any) -> int:
    """In one statement: nothing hangs on these."""
    return int(rows._raw_delete(rows.db))


def _blanked(old: datetime) -> int:
    """Blank the errors of mail servers, with the addresses that they quote."""
    letters = Delivery.objects.filter(letter__at__lt=old).exclude(error="")
    return letters.update(error="")


def _unplaced(old: datetime) -> int:
    """From which computer something was changed."""
    placed = Change._base_manager.filter(timestamp__lt=old)
    placed = placed.filter(~Q(remote_addr=None) | ~Q(remote_port=None))
    return placed.update(remote_addr=None, remote_port=None)


def _untaken(old: datetime) -> int:
    """Invitations of people who never came, and their addresses in the history."""
    due = Invitation.objects.filter(at__lt=old, accepted_at=None)[:AT_ONCE]
    mails = dict(due.values_list("pk", "email"))
    Invitation.objects.filter(pk__in=list(mails)).delete()
    left = set(mails.values()) - set(
        User.objects.filter(email__in=mails.values()).values_list("email", flat=True)
    )
    scrub(Words(frozenset(left), frozenset(), "an invited address"))
    return len(mails)
