"""The page of a system: what everybody may know of it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards.systems import system_of
from leaderboard.submissions import access, system_description
from leaderboard.tasks import facts, policy


@require_safe
def system(request: HttpRequest, pk: str) -> HttpResponse:
    """What the board says of it, in full; its team sees the rest of the fact sheet."""
    found, own = access.system_or_404(request, pk)
    task = found.phase.task
    shown = policy.disclosure(request.user, found.phase)
    asked = facts.asked(task) if own else facts.public(task)
    context = {
        "task": task,
        "phase": found.phase,
        "submission": found,
        "own": own,
        "shown": shown,
        "system": system_of(found, shown),
        "answers": facts.answers(asked, found.facts),
        "described": system_description.newest(found),
    }
    return render(request, "boards/system.html", context)
