from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("teams", "0006_language_of_mail")]

    operations = [
        migrations.RenameField("user", "wants_letters", "wants_messages"),
    ]
