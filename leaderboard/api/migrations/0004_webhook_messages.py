from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("api", "0003_announcements")]

    operations = [
        migrations.RenameModel("WebhookLetter", "WebhookMessage"),
    ]
