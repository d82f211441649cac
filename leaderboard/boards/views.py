"""The page of a board."""

from dataclasses import replace

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from leaderboard.boards import charts
from leaderboard.boards.across import Across, across, enough_test_sets
from leaderboard.boards.comparing import MOST_SYSTEMS, Pair, pairs
from leaderboard.boards.rows import Board, UnknownChoice, View, board
from leaderboard.boards.separating import headings, outlooks
from leaderboard.tasks import policy
from leaderboard.tasks.access import (
    organized_task_or_404,
    phase_or_404,
    task_or_404,
)
from leaderboard.tasks.models import Phase


def view_of(request: HttpRequest) -> View:
    """The reader's choices, from the address."""
    return View(
        measure=request.GET.get("measure", ""),
        test_set=request.GET.get("test_set", ""),
        everything=request.GET.get("entries") == "all",
        slice=request.GET.get("slice", ""),
    )


def board_or_404(request: HttpRequest, phase: Phase, everything: bool = False) -> Board:
    if not policy.sees_board(request.user, phase):
        raise Http404
    view = view_of(request)
    try:
        return board(phase, replace(view, everything=everything or view.everything))
    except UnknownChoice:
        raise Http404 from None


def task_board(request: HttpRequest, slug: str) -> HttpResponse:
    """The board of the phase that matters now: the last one that has begun."""
    phases = list(task_or_404(slug).phases.all())
    begun = [phase for phase in phases if phase.state() != "upcoming"]
    if not phases:
        raise Http404
    chosen = begun[-1] if begun else phases[0]
    return redirect("board", slug, chosen.name)


def phase_board(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    found = phase_or_404(slug, phase)
    shown = board_or_404(request, found)
    context = {
        "task": found.task,
        "phase": found,
        "state": found.state(),
        "phases": found.task.phases.all(),
        "board": shown,
        "figures": charts.forests(shown),
        "across": enough_test_sets(shown) and shown.rows,
        "organizes": found.task.is_organized_by(request.user),
    }
    return render(request, "boards/board.html", context)


def compare(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """Systems chosen on the board, `?system=` once each, every entry allowed."""
    found = phase_or_404(slug, phase)
    shown = board_or_404(request, found, everything=True)
    chosen = request.GET.getlist("system")
    context = {
        "task": found.task,
        "phase": found,
        "board": shown,
        "chosen": chosen,
        "pairs": pairs_or_404(shown, chosen),
        "most": MOST_SYSTEMS,
    }
    return render(request, "boards/compare.html", context)


def pairs_or_404(shown: Board, chosen: list[str]) -> list[Pair]:
    try:
        return pairs(shown, chosen)
    except UnknownChoice:
        raise Http404 from None


@login_required
def separation(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """For organizers: what the phase can tell apart, from what it has scored."""
    organized_task_or_404(request, slug)
    found = phase_or_404(slug, phase)
    shown = board_or_404(request, found, everything=True)
    context = {
        "task": found.task,
        "phase": found,
        "board": shown,
        "outlooks": outlooks(shown),
        "differences": headings(shown),
    }
    return render(request, "boards/separation.html", context)


def over_test_sets(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """One system of the board, `?system=`, over three or more test sets."""
    found = phase_or_404(slug, phase)
    shown = board_or_404(request, found, everything=True)
    context = {
        "task": found.task,
        "phase": found,
        "board": shown,
        "across": across_or_404(shown, request.GET.get("system", "")),
    }
    return render(request, "boards/across.html", context)


def across_or_404(shown: Board, submission: str) -> Across:
    try:
        return across(shown, submission)
    except UnknownChoice:
        raise Http404 from None
