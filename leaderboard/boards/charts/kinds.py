"""Kinds of charts: `KINDS` of the modules of this package and of extras, and which of
them a board has."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from leaderboard.boards import charts
from leaderboard.boards.board import Board
from leaderboard.boards.charts.figures import Chart
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
    def system(self) -> str:
        return self.systems[0] if self.systems else ""


@dataclass(frozen=True)
class ChartField:
    """A choice that a kind of chart has beside those of the board: its name in the
    address, its `options` as pairs of value and title, and the one that is `chosen`."""

    name: str
    label: str | Promise
    options: Callable[[ChartRequest], Iterable[tuple[str, str | Promise]]]
    chosen: Callable[[ChartRequest], str]


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
    asks: tuple[ChartField, ...] = ()
    apart: tuple[str, ...] = ()
    position: int = 50

    def chart(self, request: ChartRequest) -> Chart:
        """The chart as it is drawn, and in place of an empty one the reason."""
        chart = self.draw(request)
        if chart.lines or not chart.figure:
            return chart
        return Chart(chart.title, _("No system here has a value that it would show."))

    def asks_for(self, name: str) -> bool:
        return any(field.name == name for field in self.asks)


@cache
def all_kinds() -> Sequence[ChartKind]:
    """The kinds of the core and of extras, by their positions."""
    core = [f"{__package__}.{module.name}" for module in iter_modules(charts.__path__)]
    names = [*core, *(point.module for point in joined(BoardCharts))]
    modules = [import_module(name) for name in names]
    kinds = [kind for module in modules for kind in getattr(module, "KINDS", ())]
    return sorted(kinds, key=lambda kind: kind.position)


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
