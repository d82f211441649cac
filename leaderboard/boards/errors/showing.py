"""What the templates print of a unit: drawings, runs of text, tables, counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.boards.errors import wording
from leaderboard.boards.errors.arcs import Drawing, drawing
from leaderboard.boards.errors.prose import Run, runs
from scoring.inspecting import Piece, Word
from scoring.measures import Measure

GOLD, SYSTEM = 0, 1


@dataclass(frozen=True)
class Panel:
    """One side of a unit. `too_long`: there is a tree that is not drawn."""

    title: str
    drawing: Drawing | None
    too_long: bool
    runs: list[Run]
    lines: list[tuple[str, bool]]


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
    found = [_panel(pictures[0], GOLD, _("Gold"))]
    found += [
        _panel(picture, SYSTEM, title)
        for picture, title in zip(pictures, titles, strict=True)
    ]
    return [p for p in found if p.drawing or p.runs or p.lines or p.too_long]


def _panel(picture: Mapping[str, Any], side: int, title: str) -> Panel:
    words = [Word(**word) for word in picture["trees"][side]]
    pieces = [Piece(**piece) for piece in picture["pieces"][side]]
    drawn = drawing(words)
    other = picture["lines"][1 - side]
    return Panel(
        title=title,
        drawing=drawn,
        too_long=bool(words) and drawn is None,
        runs=runs(picture["text"], pieces) if picture["text"] else [],
        lines=[(line, line not in other) for line in picture["lines"][side]],
    )


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
