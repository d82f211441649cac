"""The periodic job that forgets old invitations."""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from leaderboard.extension.models import Mail
from leaderboard.extras.invitations.mail import KIND
from leaderboard.extras.invitations.models import EntryInvitation

KEPT = timedelta(days=180)


@shared_task(name="invitations.clear", ignore_result=True)
def clear() -> int:
    """Forget addresses that were written to long ago; how many rows."""
    old = EntryInvitation.objects.filter(mailed_at__lt=timezone.now() - KEPT)
    keys = list(old.values_list("pk", flat=True)[:1000])
    Mail.objects.filter(kind=KIND, about__in=keys).delete()
    return EntryInvitation.objects.filter(pk__in=keys).delete()[0]
