"""The page of one system over the test sets of a phase."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards.charts.pins import named
from leaderboard.boards.query import query_or_404
from leaderboard.boards.views import detailed_board_or_404
from leaderboard.extras.diagnostics.correlation import across
from leaderboard.tasks.access import PHASE
from leaderboard.tasks.models import Phase
from leaderboard.web.access import access


@require_safe
@access(PHASE)
def over_test_sets(request: HttpRequest, phase: Phase) -> HttpResponse:
    """One system of the board, `?system=`, over three or more test sets."""
    query = query_or_404(request, phase)
    ranking = detailed_board_or_404(request, query)
    context = {
        "task": phase.task,
        "phase": phase,
        "board": ranking,
        "across": across(ranking, *named(ranking, [request.GET.get("system", "")])),
        "apart": ("test_set",),
    }
    return render(request, "diagnostics/across.html", context)
