import secrets

from django.db import migrations
from django.db.models import F


def fill(apps, schema_editor):
    phases = apps.get_model("tasks", "Phase")
    revisions = apps.get_model("tasks", "GoldRevision")
    shown = phases.objects.values("gold_revision")
    revisions.objects.filter(pk__in=shown).update(live_at=F("created_at"))
    # AddField gave all rows one salt; each phase needs its own.
    for phase in phases.objects.all():
        phase.salt = secrets.token_hex(16)
        phase.save(update_fields=["salt"])


class Migration(migrations.Migration):
    dependencies = [("tasks", "0003_organizing")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
