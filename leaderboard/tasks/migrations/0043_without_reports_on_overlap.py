"""Pages on overlap are gone: the table of their reports, of an app that is no more."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tasks", "0042_without_mergers")]

    operations = [
        migrations.RunSQL(
            "DROP TABLE IF EXISTS contamination_overlapreport",
            migrations.RunSQL.noop,
        ),
    ]
