"""Tasks of `spans` that state no unit keep the one they had.

Until engine 0.2.0 it was the document; columns are counted by sentence since.
"""

from typing import Any

from django.db import migrations


def state_the_unit(apps: Any, _schema: Any) -> None:
    tasks = apps.get_model("tasks", "Task").objects
    tasks.filter(scorer_name="spans", unit="").update(unit="document")


class Migration(migrations.Migration):
    dependencies = (("tasks", "0009_participation_ranks_anyway"),)
    operations = (
        migrations.RunPython(state_the_unit, migrations.RunPython.noop),
    )
