import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks", "0017_without_tables_of_boards_and_questions")]

    operations = [
        migrations.AlterModelTable("message", None),
        migrations.AlterModelOptions("message", options={"ordering": ("-at", "-pk")}),
        migrations.RemoveConstraint("delivery", "one_delivery"),
        migrations.RenameField("delivery", "letter", "message"),
        migrations.AddConstraint(
            "delivery",
            models.UniqueConstraint(fields=["message", "user"], name="one_delivery"),
        ),
        migrations.AlterField(
            "message",
            "task",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="messages",
                to="tasks.task",
            ),
        ),
    ]
