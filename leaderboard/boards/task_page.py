"""The first page of a task: its leader, a small board, its phases, and what to do."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import BigAutoField, Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard.boards.front_page import OwnPlace, first_step, own_place
from leaderboard.boards.leaders import BoardHead, newest_head
from leaderboard.boards.stored_board import NotComputed
from leaderboard.submissions.models import Submission
from leaderboard.tasks import participation, policy
from leaderboard.tasks.access import TASK
from leaderboard.tasks.models import Participation, Phase, Snapshot, Task
from leaderboard.tasks.participation import standing_of
from leaderboard.tasks.timeline import timeline
from leaderboard.tasks.views import phases_of
from leaderboard.web.access import access
from leaderboard.web.markdown import render_markdown
from leaderboard.web.page_cache import share
from leaderboard.web.statements import statement


@require_safe
@access(TASK)
def task(request: HttpRequest, task: Task) -> HttpResponse:
    now = timezone.now()
    mine = standing_of(request.user, task)
    entry = mine.entry
    final = Snapshot.objects.filter(phase__task=task, final=True)
    read = _phases(task=task.pk, entry=entry.pk if entry else 0)
    phases = phases_of(task, request.user, read)
    decided = any(vars(phase)["decided"] for phase in phases)
    head = head_with_rows(phases, now)
    active = entry is not None and entry.is_active
    begun = any(phase.begun for phase in phases)
    context = {
        "task": task,
        "description": render_markdown(task.description),
        "phases": phases,
        "line": timeline(phases, now),
        "head": head,
        "first": first_step(phases),
        "may_submit": active,
        "begun": begun,
        "place": _place(request.user, entry, head) if begun and active else None,
        "over": bool(phases) and all(phase.state() == "over" for phase in phases),
        "decided": decided and final.select_related("phase").order_by("-at").first(),
        "participation": entry,
        "mine": mine,
        "unanswered": participation.unanswered_questions(entry, task),
        "organizes": policy.can(request.user, task, policy.Power.SEE),
    }
    return share(request, render(request, "tasks/overview.html", context))


@statement(task=BigAutoField(), entry=BigAutoField())
def _phases(task: int, entry: int) -> QuerySet[Phase]:
    """Phases, whether they are decided, and whether that team sent something."""
    final = Snapshot.objects.filter(phase=OuterRef("pk"), final=True)
    sent = Submission.objects.filter(participation=entry, phase=OuterRef("pk"))
    phases = Phase.objects.filter(task=task)
    asked = phases.annotate(decided=Exists(final), begun=Exists(sent))
    return policy.with_neighbours(asked)


def head_with_rows(phases: Sequence[Phase], moment: datetime) -> BoardHead | None:
    """The first rows of the newest board; None where that is a large one that is not
    computed yet."""
    try:
        return newest_head(phases, moment, rows=True)
    except NotComputed:
        return None


def _place(
    user: Any, entry: Participation | None, head: BoardHead | None
) -> OwnPlace | None:
    """The rank of one's team on the board that is shown in small; None without one."""
    if entry is None or head is None:
        return None
    return own_place(head.phase, entry, policy.disclosure(user, head.phase))
