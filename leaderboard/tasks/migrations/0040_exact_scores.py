"""Phases that rounded scores, or published clear improvements alone, become exact."""

from django.db import migrations
from django.db.models import F

# In English, as all that everybody reads in a task's log of changes.
LINE = (
    "{phase}: from now on scores are exact wherever they are shown. Until now {how}; "
    "this version of the site's software no longer offers that."
)
HOW = {
    "grid": "scores and intervals were rounded to a grid",
    "ladder": (
        "a team's new score was published only where it was clearly better than its "
        "last one, and rounded"
    ),
}


def publish_exactly(apps, schema_editor):
    """Write it into the log, and let stored boards be computed again."""
    Phase = apps.get_model("tasks", "Phase")
    Notice = apps.get_model("tasks", "Notice")
    rounded = Phase.objects.filter(publication__in=HOW)
    Notice.objects.bulk_create(
        Notice(
            task_id=phase.task_id,
            phase=phase,
            kind="rules",
            text=LINE.format(phase=phase.title, how=HOW[phase.publication]),
        )
        for phase in rounded
    )
    version = F("board_version") + 1
    rounded.update(
        publication="exact",
        step=None,
        board_version=version,
        oldest_board_version=version,
    )


class Migration(migrations.Migration):

    dependencies = [
        ('tasks', '0039_oldest_board_version'),
    ]

    operations = [
        migrations.RunPython(publish_exactly, migrations.RunPython.noop),
    ]
