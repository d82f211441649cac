"""Kinds of charts: `KINDS` here and of extras, and which of them a board has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.boards.board import Board
from leaderboard.boards.charts.facts import fact_chart, numeric
from leaderboard.boards.charts.figures import Chart
from leaderboard.boards.charts.parts import parts_chart, shows_both
from leaderboard.boards.charts.scores import (
    correlation_chart,
    forest,
    plane,
    rank_history,
    test_set_chart,
    timeline,
    variance_chart,
)
from leaderboard.boards.charts.slices import slice_chart, slice_map
from leaderboard.boards.query import UnknownChoice
from leaderboard.web.extras import BoardCharts, joined
from scoring.measures import Measure


@dataclass(frozen=True)
class ChartRequest:
    """The board as the reader filters it, and whole; and choices that only charts have.

    `entries` has every entry that is shown, for charts over time.
    """

    board: Board
    whole: Callable[[], Board]
    entries: Callable[[], Board]
    against: str = ""
    across: str = ""
    group: str = ""
    systems: Sequence[str] = ()

    @property
    def measures(self) -> Sequence[Measure]:
        return self.board.offered or self.board.measures

    @property
    def other(self) -> Measure:
        """The measure that goes up where the board's own goes across."""
        if not self.against:
            others = [m for m in self.measures if m != self.board.measure]
            return (others or self.measures)[0]
        for measure in self.measures:
            if measure.name == self.against:
                return measure
        raise UnknownChoice

    @property
    def grouping(self) -> str:
        if self.group and self.group not in self.board.slices:
            raise UnknownChoice
        return self.group or next(iter(self.board.slices), "")

    @property
    def system(self) -> str:
        return self.systems[0] if self.systems else ""


@dataclass(frozen=True)
class ChartKind:
    """`asks`: the choices beside those of the board that this chart knows.

    `apart` are choices of the board that it does not follow: it shows all of them.
    `position` is its place among the others.
    """

    name: str
    title: str | Promise
    draw: Callable[[ChartRequest], Chart]
    fits: Callable[[Board], bool] = lambda board: True
    asks: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    position: int = 50


def _slices(board: Board) -> bool:
    return bool(board.slices)


def _entries(board: Board) -> bool:
    return board.disclosure.everything


def _over_time(request: ChartRequest) -> Chart:
    everything = request.board.disclosure.everything
    return timeline(request.entries() if everything else request.board)


KINDS = (
    ChartKind(
        "scores", _("Scores"), lambda request: forest(request.board), position=10
    ),
    ChartKind("time", _("Over time"), _over_time, position=20),
    ChartKind(
        "rank-history",
        _("Rank over time"),
        lambda request: rank_history(request.entries()),
        _entries,
        position=30,
    ),
    ChartKind(
        "facts",
        _("Size and cost"),
        lambda request: fact_chart(request.board, request.across),
        lambda board: bool(numeric(board)),
        asks=("across",),
        position=40,
    ),
    ChartKind(
        "measures",
        _("Compare two metrics"),
        lambda request: plane(request.board, request.other),
        lambda board: len(board.offered or board.measures) > 1,
        asks=("against",),
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
        _("Slices"),
        lambda request: slice_map(request.board, request.grouping),
        _slices,
        asks=("group",),
        apart=("slice",),
        position=80,
    ),
    ChartKind(
        "slice-intervals",
        _("Slices with intervals"),
        lambda request: slice_chart(request.board, request.grouping, request.systems),
        _slices,
        asks=("group",),
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
        asks=("system",),
        apart=("test_set",),
        position=91,
    ),
    ChartKind(
        "variance",
        _("Variance"),
        lambda request: variance_chart(request.board, request.system),
        lambda board: board.spans_test_sets,
        asks=("system",),
        apart=("test_set",),
        position=92,
    ),
)


@cache
def all_kinds() -> Sequence[ChartKind]:
    """Those of the core and of extras, by their positions."""
    modules = [import_module(charts.module) for charts in joined(BoardCharts)]
    found = [*KINDS, *(kind for module in modules for kind in module.KINDS)]
    return sorted(found, key=lambda kind: kind.position)


def kinds_of(board: Board) -> list[ChartKind]:
    """Charts that this board has; none without rows."""
    return [kind for kind in all_kinds() if board.rows and kind.fits(board)]


def chosen_kind(kinds: Sequence[ChartKind], name: str) -> ChartKind | None:
    """The named kind, else the first. Raises UnknownChoice for one not there."""
    if not (kinds and name):
        return kinds[0] if kinds else None
    for kind in kinds:
        if kind.name == name:
            return kind
    raise UnknownChoice
