from django.db import migrations

SENTENCE = (
    "{title}: from now on all pairs of systems come equally often. Until now pairs came "
    "more often of which a vote was expected to say more."
)


def say_so(apps, schema_editor):
    """A line in the public log of each campaign in which people judge so."""
    campaigns = apps.get_model("judging", "Campaign").objects
    notices = apps.get_model("tasks", "Notice").objects
    rows = campaigns.filter(adaptive=True, open=True, units__isnull=False).distinct()
    for row in rows.select_related("phase"):
        notices.create(
            task_id=row.phase.task_id,
            phase_id=row.phase_id,
            text=SENTENCE.format(title=row.title),
        )


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0011_covariates'),
        ('tasks', '0035_one_outbox'),
    ]

    operations = [
        migrations.RunPython(say_so, migrations.RunPython.noop),
        migrations.RemoveField(model_name='campaign', name='adaptive'),
    ]
