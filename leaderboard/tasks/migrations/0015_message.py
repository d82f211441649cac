from django.db import migrations


class Migration(migrations.Migration):
    """A letter of organizers is called a message; its table and columns stay."""

    dependencies = [("tasks", "0014_archives_by_creation")]

    operations = [
        migrations.AlterModelTable("letter", "tasks_letter"),
        migrations.RenameModel("Letter", "Message"),
        migrations.AlterModelOptions(
            "message",
            options={"ordering": ("-at", "-pk"), "verbose_name": "letter"},
        ),
    ]
