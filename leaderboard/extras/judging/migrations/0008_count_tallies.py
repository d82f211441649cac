from collections import Counter
from datetime import timedelta

from django.db import migrations
from django.db.models import Q
from django.utils import timezone


def count(apps, schema_editor):
    """The tallies of campaigns that have begun, as `tallies.recount` makes them."""
    assignment, unit, answer, pair = (
        apps.get_model("judging", name)
        for name in ("Assignment", "JudgedUnit", "JudgedAnswer", "JudgedPair")
    )
    lately = timezone.now() - timedelta(hours=2)
    rows = assignment.objects.filter(
        Q(voted_at__isnull=False) | Q(at__gte=lately),
        judge__excluded_at=None,
        judge__model="",
        control_of=None,
        spoiled=0,
    )
    units, answers, pairs = Counter(), Counter(), Counter()
    keys = []
    for row in rows.select_related("judge", "first", "second").iterator(2000):
        keys.append(row.pk)
        units[row.unit_id] += 1
        shown = [one for one in (row.first, row.second) if one is not None]
        answers.update(one.pk for one in shown)
        if len(shown) > 1:
            both = sorted(one.submission_id for one in shown)
            pairs[(row.judge.campaign_id, *both)] += 1
    for start in range(0, len(keys), 500):
        part = keys[start : start + 500]
        assignment.objects.filter(pk__in=part).update(counted=True)
    for model, taken in ((unit, units), (answer, answers)):
        model.objects.bulk_update(
            [model(pk=pk, taken=number) for pk, number in taken.items()],
            ["taken"],
            batch_size=200,
        )
    pair.objects.bulk_create(
        pair(campaign_id=campaign, low_id=low, high_id=high, taken=number)
        for (campaign, low, high), number in pairs.items()
    )


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0007_tallies'),
    ]

    operations = [migrations.RunPython(count, migrations.RunPython.noop)]
