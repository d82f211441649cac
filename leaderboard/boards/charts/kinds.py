"""Which charts there are, which of them a board has, and what a reader asked of one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.boards.charts import contesting, plotting, slicing, spreading
from leaderboard.boards.charts.drawing import Chart
from leaderboard.boards.rows import Board, UnknownChoice
from leaderboard.boards.test_set_correlation import enough_test_sets
from scoring.measures import Measure


@dataclass(frozen=True)
class Asked:
    """The board as the reader filters it, and whole; and what only charts ask.

    `entries` has every entry that is shown, for charts over time.
    """

    board: Board
    whole: Callable[[], Board]
    entries: Callable[[], Board]
    against: str = ""
    group: str = ""
    systems: Sequence[str] = ()

    @property
    def other(self) -> Measure:
        """The measure that goes up where the board's own goes across."""
        measures = self.board.offered or self.board.measures
        if self.against:
            found = [one for one in measures if one.name == self.against]
            if not found:
                raise UnknownChoice(self.against)
            return found[0]
        others = [one for one in measures if one != self.board.measure]
        return (others or list(measures))[0]

    @property
    def grouping(self) -> str:
        found = slicing.groups(self.board)
        if self.group and self.group not in found:
            raise UnknownChoice(self.group)
        return self.group or next(iter(found), "")

    @property
    def system(self) -> str:
        return self.systems[0] if self.systems else ""


@dataclass(frozen=True)
class Kind:
    """`asks`: the choices beside those of the board that this chart knows.

    `apart` are choices of the board that it does not follow: it shows all of them.
    """

    name: str
    title: str | Promise
    draw: Callable[[Asked], Chart]
    fits: Callable[[Board], bool]
    asks: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()


def _always(board: Board) -> bool:
    return True


def _details(board: Board) -> bool:
    return board.shown.details


def _over_time(asked: Asked) -> Chart:
    board = asked.entries() if asked.board.shown.everything else asked.board
    return plotting.timeline(board, asked.board.measure)


def _against(asked: Asked) -> Chart:
    return plotting.plane(asked.board, asked.board.measure, asked.other)


def _closely(draw: Callable[..., Chart]) -> Callable[[Asked], Chart]:
    return lambda asked: draw(spreading.chosen_across(asked.board, asked.system))


KINDS = (
    Kind(
        "scores",
        _("Scores"),
        lambda asked: plotting.forest(asked.board, asked.board.measure),
        _always,
    ),
    Kind("time", _("Over time"), _over_time, _always),
    Kind(
        "measures",
        _("Two measures"),
        _against,
        lambda board: len(board.offered or board.measures) > 1,
        ("against",),
    ),
    Kind(
        "pairs",
        _("Pairs"),
        lambda asked: contesting.winning(asked.board, asked.whole()),
        _details,
    ),
    Kind(
        "ranks",
        _("Ranks"),
        lambda asked: contesting.placing(asked.board, asked.whole()),
        _details,
    ),
    Kind(
        "slices",
        _("Slices"),
        lambda asked: slicing.slicing(asked.board, asked.grouping, asked.systems),
        lambda board: bool(slicing.groups(board)),
        ("group", "system"),
        ("slice",),
    ),
    Kind(
        "test-sets",
        _("Test sets"),
        lambda asked: spreading.testing(asked.board),
        lambda board: board.several_test_sets,
        apart=("test_set",),
    ),
    Kind(
        "correlation",
        _("Correlation"),
        _closely(spreading.correlating),
        enough_test_sets,
        ("system",),
        ("test_set",),
    ),
    Kind(
        "variance",
        _("Variance"),
        _closely(spreading.varying),
        enough_test_sets,
        ("system",),
        ("test_set",),
    ),
)


def kinds_of(board: Board) -> list[Kind]:
    """Charts that this board has; none without rows."""
    return [kind for kind in KINDS if board.rows and kind.fits(board)]


def chosen_kind(found: Sequence[Kind], name: str) -> Kind | None:
    """Raises UnknownChoice for a chart that the board does not have."""
    if not found:
        return None
    if not name:
        return found[0]
    for kind in found:
        if kind.name == name:
            return kind
    raise UnknownChoice(name)
