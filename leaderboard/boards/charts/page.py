"""The page of a board's charts, one at a time, with the same choices as the board."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.boards.board import Board
from leaderboard.boards.charts.figures import Chart, marked_own
from leaderboard.boards.charts.kinds import (
    ChartKind,
    ChartRequest,
    chosen_kind,
    kinds_of,
)
from leaderboard.boards.charts.pins import (
    MOST_SYSTEMS,
    PIN,
    Pins,
    named_submissions,
    without_links,
)
from leaderboard.boards.choices import choices_in_force
from leaderboard.boards.exports.views import respond
from leaderboard.boards.query import BoardQuery, level_name, query_or_404
from leaderboard.boards.render import own_submissions
from leaderboard.boards.stored_board import board
from leaderboard.boards.views import reader_of
from leaderboard.tasks import policy
from leaderboard.tasks.access import PHASE
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Disclosure
from leaderboard.web.access import access
from leaderboard.web.addresses import absolute
from leaderboard.web.page_cache import share
from leaderboard.web.templatetags.formats import day_text

MOST_NAMED = 120  # letters of the name of a file


@require_safe
@access(PHASE)
def charts(request: HttpRequest, phase: Phase) -> HttpResponse:
    query = query_or_404(request, phase)
    disclosure = policy.disclosure(reader_of(request), query.phase)
    context = _context(request, query, disclosure)
    return share(request, render(request, "boards/charts.html", context))


@require_safe
@access(PHASE)
def chart_file(request: HttpRequest, phase: Phase) -> HttpResponse:
    """The picture of a chart as a file of its own, in which nothing is the reader's."""
    return picture_file(request, phase, "svg", "image/svg+xml")


def picture_file(
    request: HttpRequest,
    phase: Phase,
    ending: str,
    content_type: str,
    made_of: Callable[[str], bytes] = str.encode,
) -> HttpResponse:
    """The file that is `made_of` the SVG of the chart that the address names."""
    query = query_or_404(request, phase)
    disclosure = policy.disclosure(reader_of(request), query.phase)
    context = _context(request, query, disclosure)
    kind, chart = context["kind"], context["chart"]
    if chart is None or not chart.lines:
        raise Http404
    return respond(
        request,
        made_of(chart.as_file(context["about"], context["pins"].places)),
        content_type,
        version=context["board"].version,
        file_name=file_name(context["board"], kind, ending),
        open_to_all=not (disclosure.organizer or query.phase.task.draft),
    )


def file_name(board: Board, kind: ChartKind, ending: str) -> str:
    """The name of a picture's file says what it shows."""
    chosen = choices_in_force(board, {*kind.apart, "measure"})
    words = [
        board.phase.task.slug,
        board.phase.name,
        str(kind.name),
        board.measure.name,
        *(slugify(choice.value) for choice in chosen),
    ]
    return f"{'-'.join(filter(None, words))[:MOST_NAMED]}.{ending}"


def _context(
    request: HttpRequest, query: BoardQuery, disclosure: Disclosure
) -> dict[str, Any]:
    choices = chart_request(
        query,
        disclosure,
        request.GET.get("against", ""),
        request.GET.get("group", ""),
        request.GET.getlist("system"),
        request.GET.get("across", ""),
    )
    pins = Pins.of(request.GET, choices.board, choices.entries)
    choices = replace(choices, systems=choices.systems or pins.keys)
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
        "pins": pins,
        "most": MOST_SYSTEMS,
    }
    if kind is not None:
        chart = kind.chart(choices)
        asked = request.META["QUERY_STRING"]
        heading = heading_of(choices.board, kind, chart, asked)
        if chart.lines:
            linked = pins.linked(chart.figure)
            drawn, own = marked_own(linked, _own(request, choices), pins.places)
            context |= {"drawn": drawn, "own_drawn": own}
            context["figures"] = [without_links(drawn)]
            context["file_stem"] = file_name(choices.board, kind, "")[:-1]
        context |= {
            "chart": chart,
            "about": heading,
            "chart_title": heading[0],
            "choices": choices,
            "carried": _hidden_choices(request, kind),
            "fields": [
                (field, list(field.options(choices)), field.chosen(choices))
                for field in kind.asks
            ],
        }
    return context


def _own(request: HttpRequest, choices: ChartRequest) -> set[str]:
    """Submissions of the reader's teams, and the names of these teams on the board."""
    if not reader_of(request).is_authenticated:
        return set()
    own = set(own_submissions(request, choices.board.phase))
    teams = {row.team for row in choices.board.rows if row.submission in own}
    return own | teams


def chart_request(
    query: BoardQuery,
    disclosure: Disclosure,
    against: str = "",
    group: str = "",
    systems: Sequence[str] = (),
    across: str = "",
) -> ChartRequest:
    """The board of a query for charts; systems by id or name."""
    # Columns of the table; a chart may draw any measure.
    query = replace(query, measures=())

    @cache
    def whole() -> Board:
        return board(replace(query, facts=(), search=""), disclosure)

    @cache
    def entries() -> Board:
        return board(replace(query, everything=True), disclosure)

    shown = board(query, disclosure)
    return ChartRequest(
        shown, whole, entries, against, across, group, named_submissions(shown, systems)
    )


def heading_of(
    board: Board, kind: ChartKind, chart: Chart, asked: str = ""
) -> list[str]:
    """Lines above a picture that somebody saves, the title with its choices first."""
    choices = choices_in_force(board, {*kind.apart, "measure"})
    page = reverse("charts", args=[board.phase.task.slug, board.phase.name])
    phase, task = board.phase, board.phase.task
    day = (board.at or timezone.now()).astimezone(phase.zone)
    synthetic = [_("Synthetic data")] if task.synthetic else []
    return [
        " · ".join([chart.title, *map(str, choices)]),
        " · ".join([task.title, phase.title, *synthetic]),
        _("%(level)s intervals, version %(number)s of the answer key, %(day)s")
        % {
            "level": f"{level_name(board.level)}%",
            "number": board.gold_revision.number,
            "day": day_text(day),
        },
        absolute(f"{page}?{asked}" if asked else page),
    ]


def _hidden_choices(request: HttpRequest, kind: ChartKind) -> list[tuple[str, str]]:
    """Choices of the address that the form has no field for."""
    fields = {"measure", "test_set", PIN, *(field.name for field in kind.asks)}
    return [
        (key, value)
        for key, values in request.GET.lists()
        for value in values
        if key not in fields
    ]
