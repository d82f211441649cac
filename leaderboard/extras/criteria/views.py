"""The page of several measures in one rank."""

from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards.query import chosen, query_or_404
from leaderboard.boards.views import board_or_404
from leaderboard.extras.criteria.bundle import rows
from leaderboard.extras.criteria.combined_rank import combined_rank
from leaderboard.tasks.access import PHASE
from leaderboard.tasks.models import Phase
from leaderboard.web.access import access


@require_safe
@access(PHASE)
def page(request: HttpRequest, phase: Phase) -> HttpResponse:
    """A declared combination, `?combination=`, by default the first."""
    declared = {row.name: row for row in rows(phase.task)}
    if not declared:
        raise Http404
    first = next(iter(declared.values()))
    combination = chosen(declared, request.GET.get("combination", ""), first)
    query = query_or_404(request, phase)
    # Ranks are those of the whole board, whatever of it somebody looked at before.
    query = replace(query, facts=(), search="", everything=False, measure="", board="")
    ranking = board_or_404(request, query)
    context = {
        "task": phase.task,
        "phase": phase,
        "board": ranking,
        "combinations": list(declared.values()),
        "combination": combination,
        "combined": combined_rank(ranking, combination),
        "of_ranks": combination.way in ("ranks", "borda"),
    }
    return render(request, "criteria/combined.html", context)
