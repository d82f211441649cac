"""What the templates print of a unit: drawings, runs of text, tables, counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.boards.errors import wording
from leaderboard.boards.errors.arcs import Drawing, drawing
from leaderboard.boards.errors.graphs import GraphDrawing, drawings
from leaderboard.boards.errors.prose import Run, runs
from scoring.inspection import Net, NetLink, NetNode, Piece, TreeWord
from scoring.measures import Measure

GOLD, SYSTEM = 0, 1


@dataclass(frozen=True)
class Panel:
    """One side of a unit. `too_long`: there is a tree or graph that is not drawn."""

    title: str
    drawing: Drawing | None = None
    graph: GraphDrawing | None = None
    no_graph: bool = False
    too_long: bool = False
    runs: list[Run] = field(default_factory=list)
    lines: list[tuple[str, bool]] = field(default_factory=list)


@dataclass(frozen=True)
class Row:
    """Cells of a row and, in words, what is wrong in it."""

    cells: tuple[str, ...]
    wrong: str


@dataclass(frozen=True)
class Table:
    title: str
    columns: list[str]
    rows: list[Row]
    said: bool


@dataclass(frozen=True)
class Shown:
    """A unit of one system."""

    title: str
    value: str
    errors: list[tuple[str, int]]
    counts: list[tuple[str, str]]
    table: Table | None = None


def panels(pictures: Sequence[Mapping[str, Any]], titles: Sequence[str]) -> list[Panel]:
    """Gold, marked as the first system met it, then each system."""
    sides = [(pictures[0], GOLD, _("Gold"))]
    sides += [(one, SYSTEM, title) for one, title in zip(pictures, titles, strict=True)]
    nets = [_net(picture["nets"][side]) for picture, side, _title in sides]
    found = [
        _graph_panel(*side, drawn) if nets[GOLD].nodes else _panel(*side)
        for side, drawn in zip(sides, drawings(nets), strict=True)
    ]
    return [p for p in found if p != Panel(p.title)]


def _net(told: Mapping[str, Any]) -> Net:
    nodes, links = told["nodes"], told["links"]
    return Net(
        tuple(NetNode(**n) for n in nodes), tuple(NetLink(**link) for link in links)
    )


def _graph_panel(
    picture: Mapping[str, Any], side: int, title: str, graph: GraphDrawing | None
) -> Panel:
    """A list of items stands in for a graph that is too large to be drawn."""
    if graph is not None:
        return Panel(title, graph=graph)
    lines = _lines(picture, side)
    return Panel(title, too_long=bool(lines), no_graph=not lines, lines=lines)


def _panel(picture: Mapping[str, Any], side: int, title: str) -> Panel:
    words = [TreeWord(**word) for word in picture["trees"][side]]
    pieces = [Piece(**piece) for piece in picture["pieces"][side]]
    drawn = drawing(words)
    return Panel(
        title,
        drawing=drawn,
        too_long=bool(words) and drawn is None,
        runs=runs(picture["text"], pieces) if picture["text"] else [],
        lines=_lines(picture, side),
    )


def _lines(picture: Mapping[str, Any], side: int) -> list[tuple[str, bool]]:
    other = picture["lines"][1 - side]
    return [(line, line not in other) for line in picture["lines"][side]]


def shown(found: Mapping[str, Any], title: str, measure: Measure) -> Shown:
    sheet = found.get("picture", {}).get("sheet")
    return Shown(
        title=title,
        value=score(found["value"], measure),
        errors=[
            (wording.named(wording.KINDS, kind), number)
            for kind, number in found.get("errors", {}).items()
        ],
        counts=[(name, _printed(n)) for name, n in found["counts"].items()],
        table=_table(sheet, title) if sheet else None,
    )


def score(value: float | None, measure: Measure) -> str:
    """As on boards: shares times 100."""
    if value is None:
        return _("n/a")
    return f"{value * 100:.1f}" if measure.percent else f"{value:.3f}"


def _table(sheet: Mapping[str, Any], title: str) -> Table:
    columns = [wording.named(wording.COLUMNS, name) for name in sheet["columns"]]
    rows = [
        Row(
            tuple(
                wording.told(cell) if name in wording.TOLD else _printed(cell)
                for name, cell in zip(sheet["columns"], cells, strict=True)
            ),
            ", ".join(wording.named(wording.KINDS, kind) for kind in kinds),
        )
        for cells, kinds in zip(sheet["rows"], sheet["wrong"], strict=True)
    ]
    return Table(title, columns, rows, said="verdict" not in sheet["columns"])


def _printed(cell: str | float | None) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{round(cell, 4):g}" if cell < 1e6 else f"{cell:.0f}"
    return str(cell)
