"""The tables of judgements say which evaluations are scored with them.

They are now of an extra, which the core knows nothing of; the rows stay as they are.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0017_stored_statistics")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField("evaluation", "tables"),
                migrations.AddField(
                    "judgementtable",
                    "evaluations",
                    models.ManyToManyField(
                        db_table="submissions_evaluation_tables",
                        related_name="tables",
                        to="submissions.evaluation",
                    ),
                ),
            ]
        )
    ]
