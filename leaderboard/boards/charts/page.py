"""The page of a board's charts, one at a time, with the same choices as the board."""

from dataclasses import replace
from functools import cache
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.boards.charts.drawing import Chart
from leaderboard.boards.charts.kinds import Asked, Kind, chosen_kind, kinds_of
from leaderboard.boards.charts.slicing import groups
from leaderboard.boards.chosen import choices_in_force
from leaderboard.boards.exports.table import absolute
from leaderboard.boards.levels import name_of
from leaderboard.boards.revisions import phase_or_404
from leaderboard.boards.rows import Board, BoardQuery, UnknownChoice, board
from leaderboard.boards.views import reader_of, view_of
from leaderboard.tasks import policy
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Disclosure


@require_safe
def charts(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    found = phase_or_404(request, slug, phase)
    shown = policy.disclosure(reader_of(request), found)
    try:
        context = _context(request, found, shown)
    except UnknownChoice:
        raise Http404 from None
    return render(request, "boards/charts.html", context)


def _context(request: HttpRequest, phase: Phase, shown: Disclosure) -> dict[str, Any]:
    view = view_of(request)
    asked = _asked(request, phase, view, shown)
    kinds = kinds_of(asked.board)
    kind = chosen_kind(kinds, request.GET.get("chart", ""))
    chart = kind.draw(asked) if kind else None
    about = _about(request, asked.board, kind, chart) if kind and chart else []
    return {
        "task": phase.task,
        "phase": phase,
        "board": asked.board,
        "kinds": kinds,
        "kind": kind,
        "chart": chart,
        "about": about,
        "chart_title": about[0] if about else "",
        "figures": [chart.figure] if chart and chart.lines else [],
        "form": _form(request, asked, kind) if kind else None,
    }


def _about(request: HttpRequest, board: Board, kind: Kind, chart: Chart) -> list[str]:
    """Lines above a picture that somebody saves, the title with its choices first."""
    in_title = choices_in_force(board, {*kind.apart, "measure"})
    chosen = " · ".join(map(str, in_title))
    phase, task = board.phase, board.phase.task
    day = (board.at or timezone.now()).astimezone(phase.zone)
    told = {
        "level": f"{name_of(board.level)}%",
        "number": phase.gold_revision.number,
        "day": date_format(day, "j M Y"),
    }
    where = _("%(level)s intervals, gold revision %(number)s, %(day)s") % told
    synthetic = [_("Synthetic data")] if task.synthetic else []
    return [
        f"{chart.title} · {chosen}" if chosen else chart.title,
        " · ".join([task.title, phase.title, *synthetic]),
        where,
        absolute(request.get_full_path()),
    ]


def _asked(
    request: HttpRequest, phase: Phase, view: BoardQuery, shown: Disclosure
) -> Asked:
    @cache
    def whole() -> Board:
        return board(phase, replace(view, facts=(), search=""), shown)

    @cache
    def entries() -> Board:
        return board(phase, replace(view, everything=True), shown)

    return Asked(
        board(phase, view, shown),
        whole,
        entries,
        request.GET.get("against", ""),
        request.GET.get("group", ""),
        request.GET.getlist("system"),
    )


def _form(request: HttpRequest, asked: Asked, kind: Kind) -> dict[str, Any]:
    """Selects of the page; what else the address says goes along."""
    shown, asks = asked.board, kind.asks
    named = {"measure", "test_set", *asks}
    carried = [
        (key, value)
        for key, values in request.GET.lists()
        for value in values
        if key not in named
    ]
    return {
        "measures": shown.offered or shown.measures,
        "other": asked.other if "against" in asks else None,
        "groups": groups(shown) if "group" in asks else [],
        "group": asked.grouping if "group" in asks else "",
        "rows": shown.rows if "system" in asks else (),
        "systems": asked.systems,
        "several": "group" in asks,
        "test_sets": shown.test_sets if shown.several_test_sets else (),
        "carried": carried,
    }
