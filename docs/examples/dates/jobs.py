from celery import shared_task
from django.utils import timezone

from leaderboard.extension.models import Phase


@shared_task(name="dates.count_open")
def count_open() -> int:
    return Phase.objects.filter(closes__gt=timezone.now()).count()
