"""Adds the mark of organizers' teams, and sets it on what they sent before.

A role that came by an invitation counts from the moment it was accepted, gold from the
moment it was brought; of other roles nobody knows since when, so they count always.
"""

from django.db import migrations, models
from django.db.models import Q


def mark(apps, schema_editor):
    Submission = apps.get_model("submissions", "Submission")
    for task, user, since in _roles(apps):
        mine = Q(participation__participants__user=user)
        mine |= Q(participation__team__members=user)
        sent = Submission.objects.filter(mine, phase__task=task, baseline=False)
        if since is not None:
            sent = sent.filter(received_at__gte=since)
        keys = list(sent.values_list("pk", flat=True).distinct())
        Submission.objects.filter(pk__in=keys).update(by_organizers=True)


def _roles(apps):
    """Task, person, and since when; None for always."""
    invitations = apps.get_model("tasks", "Invitation").objects
    accepted = {
        (task, user): at
        for task, user, at in invitations.filter(
            accepted_by__isnull=False
        ).values_list("task", "accepted_by", "accepted_at")
    }
    revisions = apps.get_model("tasks", "GoldRevision").objects
    brought = revisions.filter(created_by__isnull=False)
    yield from brought.values_list("task", "created_by", "created_at")
    for (task, user), at in accepted.items():
        yield task, user, at
    organizers = apps.get_model("tasks", "Organizer").objects
    for task, user in organizers.values_list("task", "user"):
        if (task, user) not in accepted:
            yield task, user, None


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0006_when_states_began"),
        ("tasks", "0009_participation_ranks_anyway"),
        ("teams", "0006_language_of_mail"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="by_organizers",
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.RunPython(mark, migrations.RunPython.noop, elidable=True),
    ]
