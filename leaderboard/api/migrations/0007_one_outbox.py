"""Mail about paused webhooks that waits goes to the one table of mail."""

from django.db import migrations

MOST_TRIES = 6


def move(apps, _editor):
    mail = apps.get_model("mail", "Mail")
    rows = apps.get_model("api", "WebhookMessage").objects
    for one in rows.filter(sent_at=None, tried__lt=MOST_TRIES):
        mail.objects.create(
            kind="webhook",
            about=one.webhook_id,
            detail=one.why,
            tried=one.tried,
            not_before=one.not_before,
            error=one.error,
        )


class Migration(migrations.Migration):
    dependencies = [("api", "0006_database_defaults"), ("mail", "0001_initial")]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.DeleteModel("WebhookMessage"),
    ]
