"""A badge for a page elsewhere: rank and score of one system, or of the best."""

from django.utils.translation import gettext as _

from leaderboard.boards.exports import words
from leaderboard.boards.exports.drawing import (
    LIGHT,
    element,
    fitting,
    number,
    picture,
    said,
    width_of,
)
from leaderboard.boards.exports.table import Table
from leaderboard.boards.frozen import Line

SIZE, HEIGHT, ROOM = 12, 22, 9
MOST = 220.0
BEST = "best"


def line_of(table: Table, system: str) -> Line | None:
    """The row of a submission; of the best one that is ranked."""
    if system in ("", BEST):
        ranked = (one for one in table.lines if one.data["rank"] is not None)
        return next(ranked, None)
    return next((o for o in table.lines if o.data["submission"] == system), None)


def badge(table: Table, system: str = BEST) -> str:
    return drawn(table.about.task.title, told(table, line_of(table, system)))


def told(table: Table, line: Line | None) -> str:
    """ "#2 of 7 · LAS 85.31 · otter-1"; the rank with its range, then choices."""
    if line is None:
        return _("not on this board")
    cell = table.cells(line)[0]
    score = f"{table.measures[0]['title']} {cell.value}"
    system = fitting(line.data["system"], SIZE, MOST / 2)
    if chosen := words.chosen(table):
        system = f"{system} · {chosen}"
    rank = words.doubt(line) or words.rank(line)
    if line.data["rank"] is None:
        return f"{score} · {system}"
    count = sum(one.data["rank"] is not None for one in table.lines)
    place = _("#%(rank)s of %(count)s") % {"rank": rank, "count": count}
    return f"{place} · {score} · {system}"


def drawn(left: str, right: str) -> str:
    """Two fields side by side; both colours are legible on any page."""
    left, right = fitting(left, SIZE, MOST), fitting(right, SIZE, 3 * MOST)
    first, second = (width_of(one, SIZE) + 2 * ROOM for one in (left, right))
    size = (first + second, HEIGHT)
    style = {"font_size": SIZE, "fill": "#ffffff", "text_anchor": "middle"}
    parts = [
        _field(0, first, "#39444d"),
        _field(first, second, LIGHT.accent),
        said(left, first / 2, 15, **style),
        said(right, first + second / 2, 15, font_weight=650, **style),
    ]
    return picture(size, f"{left}: {right}", parts)


def _field(x: float, width: float, colour: str) -> str:
    return element("rect", x=number(x), width=number(width), height=HEIGHT, fill=colour)
