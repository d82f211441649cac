"""Boards and what stands behind them, with the parameters of the pages."""

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from leaderboard.api import serializers, shapes
from leaderboard.api.endpoint import Endpoint
from leaderboard.api.problems import problem
from leaderboard.boards.comparison import too_many
from leaderboard.boards.exports.formats import all_formats
from leaderboard.boards.exports.views import board_export
from leaderboard.boards.query import phase_or_404
from leaderboard.boards.serialize import board_json
from leaderboard.boards.views import (
    across_or_404,
    board_or_404,
    detailed_board_or_404,
    pairs_or_404,
)


def _text(name: str, said: str, **more: object) -> OpenApiParameter:
    return OpenApiParameter(name, str, description=said, **more)  # type: ignore[arg-type]


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
SYSTEMS = OpenApiParameter(
    "system", str, many=True, description="ids of submissions on the board, repeated"
)
SYSTEM = _text("system", "id of a submission on the board")


class Board(Endpoint):
    @extend_schema(
        parameters=CHOICES, responses={200: shapes.Board, **shapes.refusals()}
    )
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """The ranking of a phase as the reader may see it.

        `fact.<question>=`, `.min=` and `.max=` after it choose rows by fact sheet.
        """
        found = phase_or_404(request._request, slug, phase)
        return Response(board_json(board_or_404(request._request, found)))


class Compare(Endpoint):
    @extend_schema(
        parameters=[*CHOICES, SYSTEMS],
        responses={200: shapes.Comparison(many=True), **shapes.refusals(422)},
    )
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """Every pair of the systems named.

        `p_value` is of the pair alone, `adjusted` Holm's over all pairs of the board;
        `randomization` and `probability` are second opinions. `won`, `lost` and `tied`
        count units; `null` where single units are closed. Of several `test_sets` the
        first is significantly better on `better_on`, the second on `worse_on` (Holm
        over them); `new_low`, `new_high`: the difference on a new one, from three on.
        `equivalent` says whether `equivalence_low`, `equivalence_high` lie within the
        task's `margin`: of the headline only, and `null` where none was stated.
        """
        found = phase_or_404(request._request, slug, phase)
        shown = detailed_board_or_404(request._request, found)
        chosen = request.query_params.getlist("system")
        if refused := too_many(chosen):
            return problem(422, "invalid", refused)
        pairs = pairs_or_404(shown, chosen)
        return Response([pair.exact.as_dict() for pair in pairs])


class Across(Endpoint):
    @extend_schema(
        parameters=[*CHOICES, SYSTEM],
        responses={200: shapes.Across, **shapes.refusals()},
    )
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """Correlations and cumulative variance of one system over the test sets."""
        found = phase_or_404(request._request, slug, phase)
        shown = detailed_board_or_404(request._request, found)
        chosen = across_or_404(shown, request.query_params.get("system", ""))
        return Response(serializers.across_json(chosen))


class Exports(Endpoint):
    @extend_schema(responses={200: shapes.Export(many=True), **shapes.refusals()})
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """The forms in which a board can be taken away; LaTeX is `tex`."""
        found = phase_or_404(request._request, slug, phase)
        place = [found.task.slug, found.name]
        return Response(
            [
                {
                    "name": one.name,
                    "title": str(one.title),
                    "media_type": one.content_type,
                    "address": reverse(
                        "api-export", [*place, one.name], request=request
                    ),
                }
                for one in all_formats().values()
            ]
        )


class Export(Endpoint):
    """The page's own export, for who has a token and no session."""

    @extend_schema(
        parameters=CHOICES, responses={**shapes.bytes_of("*/*"), **shapes.refusals()}
    )
    def get(self, request: Request, slug: str, phase: str, form: str) -> HttpResponse:
        """The board in one of the forms, as its page would show it."""
        return board_export(request._request, slug, phase, form)
