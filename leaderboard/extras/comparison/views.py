"""The page that compares systems of a board."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.extension.access import PHASE, access
from leaderboard.extension.boards import detailed_board_or_404, query_or_404
from leaderboard.extension.caches import share
from leaderboard.extension.charts import MOST_SYSTEMS, named_submissions
from leaderboard.extension.models import Phase
from leaderboard.extras.comparison.pairs import (
    ForestPlot,
    SideBySide,
    SystemChoice,
    measure_lines,
    pairs,
    slice_lines,
    too_many,
)


@require_safe
@access(PHASE)
def compare(request: HttpRequest, phase: Phase) -> HttpResponse:
    """Systems chosen on the board, `?system=` once each by id or name, every entry
    allowed; without any those that charts have pinned."""
    query = query_or_404(request, phase)
    ranking = detailed_board_or_404(request, query)
    names = request.GET.getlist("system") or request.GET.getlist("pin")
    chosen = named_submissions(ranking, names)
    refusal = too_many(chosen)
    compared = [] if refusal else pairs(ranking, chosen)
    (reference,) = named_submissions(ranking, [request.GET.get("reference", "")])
    forest = ForestPlot.of(compared, reference)
    first = forest.reference.submission if forest else ""
    side = SideBySide(ranking, chosen, compared, first)
    context = {
        "task": phase.task,
        "phase": phase,
        "board": ranking,
        "chosen": chosen,
        "choice": SystemChoice.of(ranking, chosen, request.GET.get("find", "")),
        "choosing": "choosing" in request.GET,
        "pairs": compared,
        "side": side,
        "forest": forest,
        "slices": slice_lines(side),
        "measures": measure_lines(side) if compared else [],
        "most": MOST_SYSTEMS,
        "too_many": refusal,
    }
    status = 422 if refusal else 200
    return share(
        request, render(request, "comparison/compare.html", context, status=status)
    )
