"""The page of one system over the test sets of a phase."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.extension.access import PHASE, access
from leaderboard.extension.boards import detailed_board_or_404, query_or_404
from leaderboard.extension.charts import named_submissions
from leaderboard.extension.models import Phase
from leaderboard.extras.diagnostics.correlation import across


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
        "across": across(
            ranking, *named_submissions(ranking, [request.GET.get("system", "")])
        ),
        "apart": ("test_set",),
    }
    return render(request, "diagnostics/across.html", context)
