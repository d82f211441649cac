"""Drafts that are given up: what nobody else has seen can go without a trace."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from leaderboard.organize.forms import form_page
from leaderboard.submissions.models import Submission
from leaderboard.tasks.access import (
    OWN,
    lock_phases,
    task_locked,
)
from leaderboard.tasks.models import Participation, Task
from leaderboard.teams.models import Team
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access


def can_be_deleted(task: Task) -> bool:
    return task.draft and not _entered(task).exists()


def delete_draft(task: Task) -> None:
    """Delete a draft with its gold, baselines and organizers; its address is free.

    The history keeps what was done. Raises Refusal for a task that is published, or
    that a team has entered.
    """
    with task_locked(task) as now:
        lock_phases(now.pk)
        if not can_be_deleted(now):
            raise Refusal
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


@form_page
@access(OWN)
def delete(request: HttpRequest, task: Task) -> HttpResponse:
    """Ask first; what was published, or entered by a team, stays."""
    context = {"task": task, "possible": can_be_deleted(task)}
    if request.method != "POST":
        return render(request, "organize/draft_delete.html", context)
    try:
        delete_draft(task)
    except Refusal:
        context["possible"] = False
        return render(request, "organize/draft_delete.html", context, status=422)
    messages.success(request, _("%(task)s is deleted.") % {"task": task.title})
    return redirect("home")
