"""Contents of a unit's page: drawings, marked text, tables of items, counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.extension.scores import figures, grouped, printed
from leaderboard.extras.errors import titles
from leaderboard.extras.errors.drawings import Drawing, graph_drawings, tree_drawing
from scoring.inspection import Net, NetLink, NetNode, Piece, TreeWord
from scoring.measures import Measure

GOLD, SYSTEM = 0, 1
# From the best to the worst.
VERDICTS = (
    "own",
    "match",
    "tagclash",
    "spanclash",
    "bothclash",
    "missing",
    "spurious",
    "substitution",
    "deletion",
    "insertion",
)


# A stretch of text under the same spans, the worst verdict among them, if any, and the
# spans that end behind it.
TextRun = tuple[str, str, tuple[Piece, ...]]


@dataclass(frozen=True)
class Panel:
    """One side of a unit. `too_long`: there is a tree or graph that is not drawn.

    `lines` say of each item whether only this side has it.
    """

    title: str
    drawing: Drawing | None = None
    no_graph: bool = False
    too_long: bool = False
    runs: list[TextRun] = field(default_factory=list)
    lines: list[tuple[str, bool]] = field(default_factory=list)


def panels(
    pictures: Sequence[Mapping[str, Any]], systems: Sequence[str]
) -> list[Panel]:
    """Gold, marked as the first system met it, then each system."""
    sides = [(_("Gold"), pictures[0], GOLD)]
    sides += [
        (title, picture, SYSTEM)
        for title, picture in zip(systems, pictures, strict=True)
    ]
    nets = [_net(picture["nets"][side]) for _title, picture, side in sides]
    if nets[GOLD].nodes:
        graphs = zip(sides, graph_drawings(nets), strict=True)
        return [_graph_panel(*side, graph) for side, graph in graphs]
    rest = [_panel(*side) for side in sides]
    return [panel for panel in rest if panel != Panel(panel.title)]


def own_panels(pictures: Sequence[tuple[Mapping[str, Any], str]]) -> list[Panel]:
    """Each system by itself: no side is judged."""
    nets = [_net(picture["nets"][SYSTEM]) for picture, _title in pictures]
    if any(net.nodes for net in nets):
        graphs = zip(pictures, graph_drawings(nets), strict=True)
        return [
            Panel(title, graph, too_long=graph is None)
            for (_picture, title), graph in graphs
        ]
    rest = [_panel(title, picture, SYSTEM) for picture, title in pictures]
    plain = [
        replace(panel, lines=[(line, False) for line, _odd in panel.lines])
        for panel in rest
    ]
    return [panel for panel in plain if panel != Panel(panel.title)]


def _net(values: Mapping[str, Any]) -> Net:
    return Net(
        tuple(NetNode(**node) for node in values["nodes"]),
        tuple(NetLink(**link) for link in values["links"]),
    )


def _graph_panel(
    title: str, picture: Mapping[str, Any], side: int, graph: Drawing | None
) -> Panel:
    """A list of items stands in for a graph that is too large to be drawn."""
    lines = [] if graph else _lines(picture, side)
    return Panel(title, graph, not (graph or lines), bool(lines), lines=lines)


def _panel(title: str, picture: Mapping[str, Any], side: int) -> Panel:
    words = [TreeWord(**word) for word in picture["trees"][side]]
    pieces = [Piece(**piece) for piece in picture["pieces"][side]]
    drawing = tree_drawing(words)
    text = picture["text"] or picture["texts"][side]
    return Panel(
        title,
        drawing,
        too_long=bool(words) and drawing is None,
        runs=text_runs(text, pieces) if text else [],
        lines=_lines(picture, side),
    )


def _lines(picture: Mapping[str, Any], side: int) -> list[tuple[str, bool]]:
    other = picture["lines"][1 - side]
    return [(line, line not in other) for line in picture["lines"][side]]


def text_runs(text: str, pieces: Sequence[Piece]) -> list[TextRun]:
    """The whole text, cut where a span begins or ends."""
    cuts = sorted({0, len(text), *(end for p in pieces for end in (p.start, p.end))})
    starting: dict[int, list[Piece]] = {}
    for piece in pieces:
        starting.setdefault(piece.start, []).append(piece)
    runs: list[TextRun] = []
    open_now: list[Piece] = []
    for start, end in pairwise(cuts):
        open_now = [p for p in open_now if p.end > start] + starting.get(start, [])
        verdict = max((p.verdict for p in open_now), key=VERDICTS.index, default="")
        ending = tuple(p for p in open_now if p.end == end)
        runs.append((text[start:end], verdict, ending))
    return runs


def system_unit(
    unit: Mapping[str, Any], title: str, measure: Measure
) -> dict[str, object]:
    """A unit of one system; `sheet` is a table of the page, see `_sheet`."""
    sheet = unit.get("picture", {}).get("sheet")
    return {
        "title": title,
        "value": score(unit["value"], measure),
        "errors": titles.errors(unit.get("errors", {})),
        "counts": [(name, _cell_text(n)) for name, n in unit["counts"].items()],
        "sheet": _sheet(sheet) if sheet else None,
    }


def score(value: float | None, measure: Measure) -> str:
    """A score as on boards: shares times 100."""
    if measure.percent:
        return printed(None if value is None else value * 100, 1)
    return printed(value, 3)


def _sheet(sheet: Mapping[str, Any]) -> Mapping[str, object]:
    """Cells of each row and, in words, what is wrong in it; `judged`: a column of its
    own says so, none is added for it."""
    names = sheet["columns"]
    rows = [
        {
            "cells": [
                titles.cell(cell) if name in titles.WORD_COLUMNS else _cell_text(cell)
                for name, cell in zip(names, cells, strict=True)
            ],
            "wrong": ", ".join(titles.of(titles.KINDS, kind) for kind in kinds),
        }
        for cells, kinds in zip(sheet["rows"], sheet["wrong"], strict=True)
    ]
    columns = [titles.of(titles.COLUMNS, name) for name in names]
    judged = "verdict" in names or not any(sheet["wrong"])
    return {"columns": columns, "rows": rows, "judged": judged}


def _cell_text(cell: str | float | None) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return figures(f"{round(cell, 4):g}") if cell < 1e6 else grouped(round(cell))
    return str(cell)
