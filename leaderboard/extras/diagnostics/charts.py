"""Kinds of charts beside that of scores, and the choices that they have."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.boards import Board, UnknownChoice
from leaderboard.extension.charts import Chart, ChartField, ChartKind, ChartRequest
from leaderboard.extras.diagnostics.facts import DATE, fact_chart, numeric
from leaderboard.extras.diagnostics.parts import parts_chart, shows_both
from leaderboard.extras.diagnostics.scores import (
    correlation_chart,
    plane,
    rank_history,
    test_set_chart,
    timeline,
    variance_chart,
)
from leaderboard.extras.diagnostics.slices import slice_chart, slice_map
from scoring.measures import Measure


def other_of(request: ChartRequest) -> Measure:
    """The measure that goes up where the board's own goes across."""
    if not request.against:
        others = [m for m in request.measures if m != request.board.measure]
        return (others or request.measures)[0]
    for measure in request.measures:
        if measure.name == request.against:
            return measure
    raise UnknownChoice


def grouping_of(request: ChartRequest) -> str:
    if request.group and request.group not in request.board.slices:
        raise UnknownChoice
    return request.group or next(iter(request.board.slices), "")


AGAINST = ChartField(
    "against",
    _("Against"),
    lambda request: ((measure.name, measure.title) for measure in request.measures),
    lambda request: other_of(request).name,
)
ACROSS = ChartField(
    "across",
    _("Against"),
    lambda request: [
        *((question.name, question.heading) for question in numeric(request.board)),
        (DATE, _("Submitted")),
    ],
    lambda request: request.across,
)
GROUP = ChartField(
    "group",
    _("Slices by"),
    lambda request: ((group, group) for group in request.board.slices),
    grouping_of,
)
SYSTEM = ChartField(
    "system",
    _("System"),
    lambda request: (
        (row.submission, f"{row.system}, {row.team}") for row in request.board.rows
    ),
    lambda request: request.system,
)


def _slices(board: Board) -> bool:
    return bool(board.slices)


def _entries(board: Board) -> bool:
    return board.disclosure.everything


def _over_time(request: ChartRequest) -> Chart:
    everything = request.board.disclosure.everything
    return timeline(request.entries() if everything else request.board)


KINDS = (
    ChartKind("time", _("Since when?"), _over_time, position=20),
    ChartKind(
        "rank-history",
        _("Rank over time"),
        lambda request: rank_history(request.entries()),
        _entries,
        position=30,
    ),
    ChartKind(
        "facts",
        _("At what cost?"),
        lambda request: fact_chart(request.board, request.across),
        lambda board: bool(numeric(board)),
        asks=(ACROSS,),
        position=40,
    ),
    ChartKind(
        "measures",
        _("Compare two metrics"),
        lambda request: plane(request.board, other_of(request)),
        lambda board: len(board.offered or board.measures) > 1,
        asks=(AGAINST,),
        position=50,
    ),
    ChartKind(
        "parts",
        _("Public and private part"),
        lambda request: parts_chart(request.entries()),
        shows_both,
        apart=("part",),
        position=70,
    ),
    ChartKind(
        "slices",
        _("Where do they differ?"),
        lambda request: slice_map(request.board, grouping_of(request)),
        _slices,
        asks=(GROUP,),
        apart=("slice",),
        position=80,
    ),
    ChartKind(
        "slice-intervals",
        _("Slices with intervals"),
        lambda request: slice_chart(
            request.board, grouping_of(request), request.systems
        ),
        _slices,
        asks=(GROUP,),
        apart=("slice",),
        position=81,
    ),
    ChartKind(
        "test-sets",
        _("Test sets"),
        lambda request: test_set_chart(request.board),
        lambda board: board.several_test_sets and board.averages,
        apart=("test_set",),
        position=90,
    ),
    ChartKind(
        "correlation",
        _("Correlation"),
        lambda request: correlation_chart(request.board, request.system),
        lambda board: board.spans_test_sets,
        asks=(SYSTEM,),
        apart=("test_set",),
        position=91,
    ),
    ChartKind(
        "variance",
        _("Variance"),
        lambda request: variance_chart(request.board, request.system),
        lambda board: board.spans_test_sets,
        asks=(SYSTEM,),
        apart=("test_set",),
        position=92,
    ),
)
