"""Names of combinations that no address can hold become plain ones."""

from itertools import count

import django.core.validators
from django.db import migrations, models
from django.utils.text import slugify

PLAIN = r"[a-z0-9][a-z0-9_-]{0,39}"


def rename(apps, schema_editor):
    rows = apps.get_model("criteria", "Combination").objects
    for row in rows.exclude(name__regex=rf"^{PLAIN}$"):
        taken = set(rows.filter(task=row.task_id).values_list("name", flat=True))
        plain = slugify(row.name)[:30].strip("-_") or "combination"
        names = (f"{plain}-{n}" if n > 1 else plain for n in count(1))
        row.name = next(name for name in names if name not in taken)
        row.save(update_fields=["name"])


class Migration(migrations.Migration):
    dependencies = [("criteria", "0003_without_series")]

    operations = [
        migrations.RunPython(rename, migrations.RunPython.noop),
        migrations.AlterField(
            "combination",
            "name",
            models.CharField(
                max_length=40,
                validators=[
                    django.core.validators.RegexValidator(
                        rf"^{PLAIN}\Z",
                        "Small letters, digits, “-” and “_”, at most 40, no sign first.",
                    )
                ],
                verbose_name="Name",
            ),
        ),
    ]
