"""Boards and what stands behind them, with the parameters of the pages."""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from leaderboard.api.serializers import (
    BoardSerializer,
    ExportSerializer,
    UncertaintySerializer,
)
from leaderboard.api.views.base import Endpoint, answers
from leaderboard.boards.exports.formats import ExportFormat, all_formats
from leaderboard.boards.exports.views import export_board
from leaderboard.boards.query import query_or_404
from leaderboard.boards.rows import Row
from leaderboard.boards.snapshots import board_json
from leaderboard.boards.uncertainty import uncertainty_values
from leaderboard.boards.views import board_for, reader_of
from leaderboard.tasks.access import PHASE
from leaderboard.tasks.models import Phase


def _text(name: str, description: str, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, str, description=description, **more)


CHOICES = [
    _text("board", "one of the task's named boards"),
    _text("measure", "measure to rank by; the headline by default"),
    _text("test_set", "one test set; all by default"),
    _text("entries", "`all` for every entry in place of one per team", enum=["all"]),
    _text("slice", "`group:label`, one of the `slices` of the board"),
    _text("part", "one of the `parts` of the board, where units are split"),
    _text("revision", "number of an older gold revision"),
    _text("level", "level of the intervals in per cent, such as `99`"),
    _text("at", "a day or time: the board as it was then"),
    _text("q", "part of the name of a team or system"),
    _text("as", "`public`: the board as everybody sees it", enum=["public"]),
]
ROWS_PER_PAGE = 500
PAGE = _text("page", "page of rows, from 1")
EXPECTED = _text("expected", "`1`: rows with scores expected on new data", enum=["1"])
NAMED = "id of a submission on the board, or the name of its system, or `team/system`"
SYSTEMS = _text("system", f"{NAMED}; repeat it for each system", many=True)


def rows_of_page(
    request: Request, rows: Sequence[Row]
) -> tuple[Sequence[Row], int, int]:
    """The rows of the page that is asked for, its number, and how many there are."""
    pages = max(1, ceil(len(rows) / ROWS_PER_PAGE))
    number = request.query_params.get("page", "1")
    if not number.isdecimal() or not 1 <= int(number[:9]) <= pages:
        raise NotFound(f"There is no such page; the last one is {pages}.")
    page = int(number)
    return rows[(page - 1) * ROWS_PER_PAGE : page * ROWS_PER_PAGE], page, pages


class BoardView(Endpoint):
    access = PHASE

    @answers(BoardSerializer, parameters=[*CHOICES, EXPECTED, PAGE])
    def get(self, request: Request, phase: Phase) -> dict[str, Any]:
        """The ranking of a phase as the reader may see it.

        Answers of the fact sheet filter rows: `fact.<question>=` and, of numbers,
        `fact.<question>.min=` and `fact.<question>.max=`. More than 500 rows come by
        `pages`, with ranks and everything else of the whole board.
        """
        query = query_or_404(request._request, phase)
        board = board_for(reader_of(request._request), query)
        rows, page, pages = rows_of_page(request, board.rows)
        paging = {"page": page, "pages": pages}
        return board_json(board, rows) | paging | {"newer_results": board.newer_wait}


class UncertaintyView(Endpoint):
    access = PHASE

    @answers(UncertaintySerializer, many=True, parameters=[*CHOICES, SYSTEMS, PAGE])
    def get(self, request: Request, phase: Phase) -> list[dict[str, Any]]:
        """The sources of the uncertainty of scores: units, runs, prompts, judges.

        Of the named systems, or of all on a page of the board. Systems of one run that
        nobody or one person judged are left out: all is from the units there, as far
        as anybody can tell.
        """
        query = query_or_404(request._request, phase)
        board = board_for(reader_of(request._request), query)
        systems = request.query_params.getlist("system")
        rows = [r for r in board.rows if not systems or r.submission in systems]
        values = uncertainty_values(board, rows_of_page(request, rows)[0])
        return [{"submission": name, "measures": values[name]} for name in values]


class ExportsView(Endpoint):
    access = PHASE

    @answers(ExportSerializer, many=True)
    def get(self, request: Request, phase: Phase) -> Iterable[ExportFormat]:
        """Export formats of a board; LaTeX is `tex`."""
        query_or_404(request._request, phase)
        return all_formats().values()


class ExportView(Endpoint):
    """The page's own export, for who has a token and no session."""

    access = PHASE

    @answers(None, media_type="*/*", parameters=CHOICES)
    def get(self, request: Request, phase: Phase, form: str) -> HttpResponse:
        """The board in one of the export formats, as its page shows it."""
        return export_board(request._request, phase, form)
