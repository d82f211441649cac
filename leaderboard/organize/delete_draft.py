"""Drafts that are published, or given up: what nobody else has seen can go."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from leaderboard.organize.baselines import whole_plan
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.schema import TaskPlan
from leaderboard.tasks.lock import lock_phases, task_locked
from leaderboard.tasks.models import Participation, Task
from leaderboard.teams.models import Team


class CannotDelete(Exception):
    """The task is published, or a team has entered it."""


class CannotPublish(Exception):
    """Why the task stays a draft, in words for an organizer."""


def publish(task: Task, checked: TaskPlan) -> None:
    """Let everybody see a draft that passed the check, as it was then.

    Raises CannotPublish where it was changed since.
    """
    with task_locked(task) as now:
        if whole_plan(now) != checked:
            said = _("The task was changed while it was checked: check it again.")
            raise CannotPublish(said)
        Task.objects.filter(pk=now.pk).update(draft=False)


def can_be_deleted(task: Task) -> bool:
    return task.draft and not _entered(task).exists()


def delete(task: Task) -> None:
    """Delete a draft with its gold, baselines and organizers; its address is free.

    The history keeps what was done. Raises CannotDelete.
    """
    with task_locked(task) as now:
        lock_phases(now.pk)
        if not can_be_deleted(now):
            raise CannotDelete
        teams = Team.objects.filter(participations__task=now, memberships=None)
        nobody = list(teams.values_list("pk", flat=True))
        Submission.objects.filter(phase__task=now).delete()
        now.participations.all().delete()
        now.phases.all().delete()
        now.delete()
        Team.objects.filter(pk__in=nobody, participations=None).delete()


def _entered(task: Task) -> QuerySet[Participation]:
    """Entries of teams; that of the organizers' baselines has nobody in it."""
    return Participation.objects.filter(task=task, team__memberships__isnull=False)
