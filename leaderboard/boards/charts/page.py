"""The page of a board's charts, one at a time, with the same choices as the board."""

from dataclasses import replace
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.boards.board import Board, board
from leaderboard.boards.charts.figures import Chart, marked_own
from leaderboard.boards.charts.kinds import (
    ChartKind,
    ChartRequest,
    chosen_kind,
    kinds_of,
)
from leaderboard.boards.choices import choices_in_force
from leaderboard.boards.exports.table import absolute
from leaderboard.boards.own_rows import own_submissions
from leaderboard.boards.query import BoardQuery, level_name, query_or_404
from leaderboard.boards.views import reader_of
from leaderboard.tasks import policy
from leaderboard.tasks.access import PHASE
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Disclosure
from leaderboard.web.access import access
from leaderboard.web.templatetags.formatting import day_text


@require_safe
@access(PHASE)
def charts(request: HttpRequest, phase: Phase) -> HttpResponse:
    query = query_or_404(request, phase)
    disclosure = policy.disclosure(reader_of(request), query.phase)
    return render(request, "boards/charts.html", _context(request, query, disclosure))


def _context(
    request: HttpRequest, query: BoardQuery, disclosure: Disclosure
) -> dict[str, Any]:
    choices = _chart_request(request, query, disclosure)
    kinds = kinds_of(choices.board)
    kind = chosen_kind(kinds, request.GET.get("chart", ""))
    context = {
        "task": query.phase.task,
        "phase": query.phase,
        "board": choices.board,
        "kinds": kinds,
        "kind": kind,
        "chart": None,
        "figures": [],
    }
    if kind is not None:
        chart = kind.draw(choices)
        heading = _heading(request, choices.board, kind, chart)
        if chart.lines:
            drawn, own = marked_own(chart.figure, _own(request, choices))
            context |= {"figures": [drawn], "own_drawn": own}
        context |= {
            "chart": chart,
            "about": heading,
            "chart_title": heading[0],
            "choices": choices,
            "carried": _carried(request, kind),
        }
    return context


def _own(request: HttpRequest, choices: ChartRequest) -> set[str]:
    """Submissions of the reader's teams, and the names of these teams on the board."""
    if not reader_of(request).is_authenticated:
        return set()
    own = set(own_submissions(request, choices.board.phase))
    teams = {row.team for row in choices.board.rows if row.submission in own}
    return own | teams


def _chart_request(
    request: HttpRequest, query: BoardQuery, disclosure: Disclosure
) -> ChartRequest:
    # Columns of the table; a chart may draw any measure.
    query = replace(query, measures=())

    @cache
    def whole() -> Board:
        return board(replace(query, facts=(), search=""), disclosure)

    @cache
    def entries() -> Board:
        return board(replace(query, everything=True), disclosure)

    return ChartRequest(
        board(query, disclosure),
        whole,
        entries,
        request.GET.get("against", ""),
        request.GET.get("group", ""),
        request.GET.getlist("system"),
    )


def _heading(
    request: HttpRequest, board: Board, kind: ChartKind, chart: Chart
) -> list[str]:
    """Lines above a picture that somebody saves, the title with its choices first."""
    choices = choices_in_force(board, {*kind.apart, "measure"})
    phase, task = board.phase, board.phase.task
    day = (board.at or timezone.now()).astimezone(phase.zone)
    synthetic = [_("Synthetic data")] if task.synthetic else []
    return [
        " · ".join([chart.title, *map(str, choices)]),
        " · ".join([task.title, phase.title, *synthetic]),
        _("%(level)s intervals, gold revision %(number)s, %(day)s")
        % {
            "level": f"{level_name(board.level)}%",
            "number": board.gold_revision.number,
            "day": day_text(day),
        },
        absolute(request.get_full_path()),
    ]


def _carried(request: HttpRequest, kind: ChartKind) -> list[tuple[str, str]]:
    """Choices of the address that the form has no field for."""
    fields = {"measure", "test_set", *kind.asks}
    return [
        (key, value)
        for key, values in request.GET.lists()
        for value in values
        if key not in fields
    ]
