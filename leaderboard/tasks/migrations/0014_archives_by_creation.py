"""Published archives are named by the key of their task and when it was created."""

from datetime import UTC

from django.core.files.storage import storages
from django.db import migrations


def rename_archives(apps, schema_editor):
    store = storages["archives"]
    for task in apps.get_model("tasks", "Task").objects.only("created_at"):
        created = task.created_at.astimezone(UTC)
        old, new = f"{task.pk}.zip", f"{task.pk}-{created:%Y%m%dT%H%M%S%f}.zip"
        # An older file belonged to a task that had the key before.
        if store.exists(old) and store.get_modified_time(old) >= created:
            with store.open(old) as file:
                store.save(new, file)
            store.delete(old)


class Migration(migrations.Migration):
    dependencies = [("tasks", "0013_labels")]

    operations = [migrations.RunPython(rename_archives, migrations.RunPython.noop)]
