"""Mail about incidents goes to the one table of mail."""

from django.db import migrations


def move(apps, _editor):
    """All of it: that an incident is over is told to those who were told of it."""
    mail = apps.get_model("mail", "Mail")
    mail.objects.bulk_create(
        [
            mail(
                kind="incident",
                about=one.incident_id,
                detail=one.stage,
                address=one.address,
                at=one.not_before,
                tried=one.tried,
                not_before=one.not_before,
                sent_at=one.sent_at,
                error=one.error,
            )
            for one in apps.get_model("operations", "IncidentMail").objects.all()
        ],
        batch_size=1000,
    )


class Migration(migrations.Migration):
    dependencies = [("operations", "0001_incidents"), ("mail", "0001_initial")]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.DeleteModel("IncidentMail"),
    ]
