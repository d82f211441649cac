"""Drafts that are given up: what nobody else has seen can go without a trace."""

from django.db import transaction
from django.db.models import QuerySet

from leaderboard.submissions.models import Submission
from leaderboard.tasks.holding import hold
from leaderboard.tasks.models import Participation, Task
from leaderboard.teams.models import Team


class CannotDelete(Exception):
    """The task is published, or a team has entered it."""


def can_be_deleted(task: Task) -> bool:
    return task.draft and not _entered(task).exists()


def delete(task: Task) -> None:
    """Delete a draft with its gold, baselines and organizers; its address is free.

    The history keeps what was done. Raises CannotDelete.
    """
    with transaction.atomic():
        held = hold(task.pk)
        if not can_be_deleted(held):
            raise CannotDelete
        teams = Team.objects.filter(participations__task=held, memberships=None)
        nobody = list(teams.values_list("pk", flat=True))
        Submission.objects.filter(phase__task=held).delete()
        held.participations.all().delete()
        held.phases.all().delete()
        held.delete()
        Team.objects.filter(pk__in=nobody, participations=None).delete()


def _entered(task: Task) -> QuerySet[Participation]:
    """Entries of teams; that of the organizers' baselines has nobody in it."""
    return Participation.objects.filter(task=task, team__memberships__isnull=False)
