"""Webhooks are gone: their tables, and mail about them that was not sent."""

from django.db import migrations


def delete_unsent_mail(apps, _editor):
    mail = apps.get_model("mail", "Mail").objects
    mail.filter(kind="webhook", sent_at=None).delete()


class Migration(migrations.Migration):
    dependencies = [("api", "0008_due_by_database_clock"), ("mail", "0001_initial")]

    operations = [
        migrations.RunPython(delete_unsent_mail, migrations.RunPython.noop),
        migrations.DeleteModel("WebhookDelivery"),
        migrations.DeleteModel("Webhook"),
        migrations.DeleteModel("Announcement"),
        migrations.DeleteModel("WatchedPhase"),
        migrations.DeleteModel("Watch"),
    ]
