"""The page of a board."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from leaderboard.boards.board import Board, board
from leaderboard.boards.comparison import Pair, pairs
from leaderboard.boards.page_cache import Reader, answer
from leaderboard.boards.pagination import BoardPage, sheet_of
from leaderboard.boards.query import BoardQuery, UnknownChoice, phase_or_404
from leaderboard.boards.snapshots import newest_final
from leaderboard.boards.statistical_power import (
    MOST_SYSTEMS,
    headings,
    outlooks,
    systems_of,
)
from leaderboard.boards.test_set_correlation import Across, across, enough_test_sets
from leaderboard.tasks import policy
from leaderboard.tasks.access import organized_task_or_404, task_or_404
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Power

FACT = "fact."
LONGEST_SEARCH = 100


def view_of(request: HttpRequest) -> BoardQuery:
    """The reader's choices, from the address."""
    return BoardQuery(
        measure=request.GET.get("measure", ""),
        test_set=request.GET.get("test_set", ""),
        everything=request.GET.get("entries") == "all",
        slice=request.GET.get("slice", ""),
        part=request.GET.get("part", ""),
        board=request.GET.get("board", ""),
        facts=tuple(_facts(request)),
        columns=_columns(request),
        measures=tuple(request.GET.getlist("show")),
        search=request.GET.get("q", "").strip()[:LONGEST_SEARCH],
        level=request.GET.get("level", ""),
        at=request.GET.get("at", ""),
    )


def _facts(request: HttpRequest) -> Iterator[tuple[str, str]]:
    """What `fact.<question>=` asks for; empty fields of a form ask for nothing."""
    for key, value in request.GET.items():
        if key.startswith(FACT) and value.strip():
            yield key.removeprefix(FACT), value.strip()


def _columns(request: HttpRequest) -> tuple[str, ...] | None:
    """Questions chosen as columns; `?columns=` says that no more than those are."""
    if "columns" not in request.GET and "column" not in request.GET:
        return None
    return tuple(request.GET.getlist("column"))


def reader_of(request: HttpRequest) -> Any:
    """Whose eyes the board is shown to; `?as=public` is anybody's."""
    as_public = request.GET.get("as") == "public"
    return AnonymousUser() if as_public else request.user


def board_or_404(request: HttpRequest, phase: Phase, everything: bool = False) -> Board:
    """The board as its reader sees it, without rows where it is not shown yet.

    `everything` asks for every entry that is shown.
    """
    shown = policy.disclosure(reader_of(request), phase)
    view = view_of(request)
    if everything and shown.everything:
        view = replace(view, everything=True)
    try:
        return board(phase, view, shown)
    except UnknownChoice:
        raise Http404 from None


def detailed_board_or_404(request: HttpRequest, phase: Phase) -> Board:
    """Every entry, where its details are shown too."""
    found = board_or_404(request, phase, everything=True)
    if not found.shown.details:
        raise Http404
    return found


@require_safe
def task_board(request: HttpRequest, slug: str) -> HttpResponse:
    """The board of the phase that matters now: the last one that has begun."""
    phases = list(task_or_404(slug, request.user).phases.all())
    begun = [phase for phase in phases if phase.state() != "upcoming"]
    if not phases:
        raise Http404
    chosen = begun[-1] if begun else phases[0]
    return redirect("board", slug, chosen.name)


@require_safe
def phase_board(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    found = phase_or_404(request, slug, phase)
    shown = policy.disclosure(reader_of(request), found)
    organizes = policy.can(request.user, found.task, Power.SEE)
    reader = Reader(request, found, shown, organizes)
    return answer(reader, lambda: _printed(reader))


def _printed(reader: Reader) -> dict[str, Any]:
    """Everything that stands between head and foot of a board's page."""
    request, phase = reader.request, reader.phase
    shown = board_or_404(request, phase)
    return {
        "task": phase.task,
        "phase": phase,
        "sheet": sheet_or_404(shown, request.GET.get("page", "")),
        "state": phase.state(),
        "phases": phase.task.phases.all(),
        "board": shown,
        "across": enough_test_sets(shown) and shown.rows,
        "organizes": reader.organizes,
        "final": newest_final(phase),
    }


def sheet_or_404(shown: Board, asked: str) -> BoardPage:
    try:
        return sheet_of(shown, asked)
    except UnknownChoice:
        raise Http404 from None


def pairs_or_404(shown: Board, chosen: list[str]) -> list[Pair]:
    try:
        return pairs(shown, chosen)
    except UnknownChoice:
        raise Http404 from None


@login_required
@require_safe
def separation(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """For organizers: what the phase can tell apart, from what it has scored."""
    organized_task_or_404(request, slug)
    found = phase_or_404(request, slug, phase)
    shown = detailed_board_or_404(request, found)
    try:
        systems = systems_of(shown, request.GET.get("systems", ""))
    except UnknownChoice:
        raise Http404 from None
    context = {
        "task": found.task,
        "phase": found,
        "board": shown,
        "systems": systems,
        "carried": [one for one in request.GET.items() if one[0] != "systems"],
        "most": MOST_SYSTEMS,
        "outlooks": outlooks(shown, systems),
        "differences": headings(shown),
        "apart": ("measure",),
    }
    return render(request, "boards/separation.html", context)


@require_safe
def over_test_sets(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """One system of the board, `?system=`, over three or more test sets."""
    found = phase_or_404(request, slug, phase)
    shown = detailed_board_or_404(request, found)
    context = {
        "task": found.task,
        "phase": found,
        "board": shown,
        "across": across_or_404(shown, request.GET.get("system", "")),
        "apart": ("test_set",),
    }
    return render(request, "boards/across.html", context)


def across_or_404(shown: Board, submission: str) -> Across:
    try:
        return across(shown, submission)
    except UnknownChoice:
        raise Http404 from None
