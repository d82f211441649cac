from datetime import timedelta
from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q
from django.utils import timezone

REPORTED = ("scored", "invalid", "timeout", "failed_system")


def announce_untold(apps: Any, schema_editor: Any) -> None:
    """Announce what ended since the cursor, and what may have come late behind it.

    What a webhook was told already, it is not told again: deliveries are unique.
    """
    watch = apps.get_model("api", "Watch").objects.filter(pk=1).first()
    if watch is None:
        return
    lately = timezone.now() - timedelta(minutes=5)
    late = Q(pk__gt=watch.event - 1000, at__gte=lately)
    events = apps.get_model("submissions", "Event").objects.filter(
        Q(pk__gt=watch.event) | late, new__in=REPORTED
    )
    announcement = apps.get_model("api", "Announcement")
    announcement.objects.bulk_create(announcement(event=event) for event in events)


class Migration(migrations.Migration):
    dependencies = [
        ("api", "0002_webhooks"),
        ("submissions", "0008_runs"),
    ]

    operations = [
        migrations.CreateModel(
            name="Announcement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "event",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="submissions.event",
                    ),
                ),
            ],
        ),
        migrations.RunPython(announce_untold, migrations.RunPython.noop),
        migrations.RemoveField(model_name="watch", name="event"),
    ]
