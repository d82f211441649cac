from django.db import migrations

SENTENCE = (
    "{title}: ratings on the board are those of answers that are alike in length and "
    "side, as chosen then. When the votes are put on the board again, ratings no longer "
    "take that into account."
)


def say_so(apps, schema_editor):
    """A line in the public log of each campaign with such ratings on the board."""
    campaigns = apps.get_model("judging", "Campaign").objects
    notices = apps.get_model("tasks", "Notice").objects
    for row in campaigns.select_related("phase"):
        if row.published_effects:
            notices.create(
                task_id=row.phase.task_id,
                phase_id=row.phase_id,
                text=SENTENCE.format(title=row.title),
            )


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0012_no_adaptive_pairs'),
    ]

    operations = [
        migrations.RunPython(say_so, migrations.RunPython.noop),
        migrations.RemoveField(model_name='campaign', name='covariates'),
        migrations.RemoveField(model_name='campaign', name='published_effects'),
    ]
