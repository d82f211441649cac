"""Boards and what stands behind them, with the parameters of the pages."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from leaderboard.api.problems import ApiError
from leaderboard.api.serializers import (
    AcrossSerializer,
    BoardSerializer,
    ComparisonSerializer,
    ExportSerializer,
)
from leaderboard.api.views.base import Endpoint, answers
from leaderboard.boards.comparison import pairs, too_many
from leaderboard.boards.exports.formats import ExportFormat, all_formats
from leaderboard.boards.exports.views import exported
from leaderboard.boards.query import query_or_404
from leaderboard.boards.snapshots import board_json
from leaderboard.boards.test_set_correlation import Across, across
from leaderboard.boards.views import (
    board_or_404,
    detailed_board_or_404,
)
from leaderboard.tasks.access import PHASE
from leaderboard.tasks.models import Phase


def _text(name: str, description: str, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, str, description=description, **more)


CHOICES = [
    _text("board", "one of the task's named boards"),
    _text("measure", "what ranks; by default the headline"),
    _text("test_set", "one test set; by default all"),
    _text("entries", "`all` for every entry, not one of each team", enum=["all"]),
    _text("slice", "`group:label`, one of `slices`"),
    _text("part", "one of `parts`, where units are split"),
    _text("revision", "number of an older gold revision"),
    _text("level", "of the intervals, per cent, as in `99`"),
    _text("at", "a day or a time: the board as it was then"),
    _text("q", "part of the name of a team or system"),
    _text("as", "`public`: as anybody sees it", enum=["public"]),
]
SYSTEMS = _text("system", "ids of submissions on the board, repeated", many=True)
SYSTEM = _text("system", "id of a submission on the board")


class BoardView(Endpoint):
    access = PHASE

    @answers(BoardSerializer, parameters=CHOICES)
    def get(self, request: Request, phase: Phase) -> dict[str, Any]:
        """The ranking of a phase as the reader may see it.

        `fact.<question>=`, `.min=` and `.max=` after it choose rows by fact sheet.
        """
        query = query_or_404(request._request, phase)
        return board_json(board_or_404(request._request, query))


class CompareView(Endpoint):
    access = PHASE

    @answers(ComparisonSerializer, 200, 422, many=True, parameters=[*CHOICES, SYSTEMS])
    def get(self, request: Request, phase: Phase) -> list[dict[str, Any]]:
        """Every pair of the systems named.

        `p_value` is of the pair alone, `adjusted` Holm's over all pairs of the board;
        `randomization` and `probability` are second opinions. `won`, `lost` and `tied`
        count units; `null` where single units are closed. Of several `test_sets` the
        first is significantly better on `better_on`, the second on `worse_on` (Holm
        over them); `new_low`, `new_high`: the difference on a new one, from three on.
        `equivalent` says whether `equivalence_low`, `equivalence_high` lie within the
        task's `margin`: of the headline only, and `null` where none was stated.
        """
        query = query_or_404(request._request, phase)
        board = detailed_board_or_404(request._request, query)
        systems = request.query_params.getlist("system")
        if refused := too_many(systems):
            raise ApiError(422, "invalid", refused)
        return [pair.exact.as_dict() for pair in pairs(board, systems)]


class AcrossView(Endpoint):
    access = PHASE

    @answers(AcrossSerializer, parameters=[*CHOICES, SYSTEM])
    def get(self, request: Request, phase: Phase) -> Across:
        """Correlations and cumulative variance of one system over the test sets."""
        query = query_or_404(request._request, phase)
        board = detailed_board_or_404(request._request, query)
        return across(board, request.query_params.get("system", ""))


class ExportsView(Endpoint):
    access = PHASE

    @answers(ExportSerializer, many=True)
    def get(self, request: Request, phase: Phase) -> Iterable[ExportFormat]:
        """The forms in which a board can be taken away; LaTeX is `tex`."""
        query_or_404(request._request, phase)
        return all_formats().values()


class ExportView(Endpoint):
    """The page's own export, for who has a token and no session."""

    access = PHASE

    @answers(None, media_type="*/*", parameters=CHOICES)
    def get(self, request: Request, phase: Phase, form: str) -> HttpResponse:
        """The board in one of the forms, as its page would show it."""
        return exported(request._request, phase, form)
