"""Boards and what stands behind them, with the parameters of the pages."""

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from leaderboard.api import serializers, shapes
from leaderboard.api.endpoint import Endpoint
from leaderboard.boards.exports.registry import all_formats
from leaderboard.boards.exports.views import board_export
from leaderboard.boards.printing import board_json
from leaderboard.boards.revisions import phase_or_404
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
        responses={200: shapes.Comparison(many=True), **shapes.refusals()},
    )
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """Every pair of the systems named: paired bootstrap and randomization."""
        found = phase_or_404(request._request, slug, phase)
        shown = detailed_board_or_404(request._request, found)
        pairs = pairs_or_404(shown, request.query_params.getlist("system"))
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
