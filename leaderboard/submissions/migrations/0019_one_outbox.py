"""Mail about results that waits goes to the one table of mail."""

from datetime import timedelta

from django.db import migrations
from django.utils import timezone

REPORTED = ("scored", "invalid", "timeout", "failed_system")
MOST_TRIES = 6
RECENT = timedelta(days=3)


def move(apps, _editor):
    """What is under way, and ends of the last days that no mail was ordered for."""
    mail = apps.get_model("mail", "Mail")
    sender = "event__evaluation__submission__sender"
    waiting = (
        apps.get_model("submissions", "ResultMail")
        .objects.filter(sent_at=None, tried__lt=MOST_TRIES)
        .values_list("event", sender, "event__at", "tried", "not_before", "error")
    )
    new = (
        apps.get_model("submissions", "Event")
        .objects.filter(
            mail=None,
            new__in=REPORTED,
            at__gte=timezone.now() - RECENT,
            evaluation__background=False,
            evaluation__submission__baseline=False,
            evaluation__submission__brought_at=None,
        )
        .values_list("pk", "evaluation__submission__sender", "at")
    )
    rows = [
        mail(
            kind="result",
            about=event,
            user_id=user,
            at=at,
            tried=tried,
            not_before=not_before,
            error=error,
        )
        for event, user, at, tried, not_before, error in waiting
    ]
    rows += [
        mail(kind="result", about=event, user_id=user, at=at)
        for event, user, at in new
    ]
    mail.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0018_evaluations_of_tables"),
        ("mail", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.DeleteModel("ResultMail"),
    ]
