"""The page that compares two systems or more."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards.comparison import (
    MOST_SYSTEMS,
    pairs,
    side_by_side,
    slice_lines,
    too_many,
)
from leaderboard.boards.query import UnknownChoice, phase_or_404
from leaderboard.boards.views import detailed_board_or_404


@require_safe
def compare(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """Systems chosen on the board, `?system=` once each, every entry allowed."""
    found = phase_or_404(request, slug, phase)
    shown = detailed_board_or_404(request, found)
    chosen = request.GET.getlist("system")
    refused = too_many(chosen)
    try:
        compared = [] if refused else pairs(shown, chosen)
    except UnknownChoice:
        raise Http404 from None
    side = side_by_side(shown, chosen, compared)
    context = {
        "task": found.task,
        "phase": found,
        "board": shown,
        "chosen": chosen,
        "pairs": compared,
        "side": side,
        "slices": slice_lines(side),
        "most": MOST_SYSTEMS,
        "too_many": refused,
    }
    status = 422 if refused else 200
    return render(request, "boards/compare.html", context, status=status)
