"""Pages of several measures in one rank, and of score against cost."""

from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards.query import chosen, query_or_404
from leaderboard.boards.views import board_or_404
from leaderboard.extras.criteria.bundle import rows
from leaderboard.extras.criteria.combined_rank import combined_rank
from leaderboard.extras.criteria.cost import front_of, numbers
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


@require_safe
@access(PHASE)
def front(request: HttpRequest, phase: Phase) -> HttpResponse:
    """The systems that the board shows against a number of their sheet, `?cost=`."""
    questions = {question.name: question for question in numbers(phase)}
    if not questions:
        raise Http404
    first = next(iter(questions.values()))
    cost = chosen(questions, request.GET.get("cost", ""), first)
    query = replace(query_or_404(request, phase), everything=False)
    ranking = board_or_404(request, query)
    context = {
        "task": phase.task,
        "phase": phase,
        "board": ranking,
        "costs": list(questions.values()),
        "cost": cost,
        "front": front_of(ranking, cost),
    }
    return render(request, "criteria/front.html", context)
