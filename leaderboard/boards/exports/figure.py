"""The picture of a board: each system's score of one measure with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.boards.exports import words
from leaderboard.boards.exports.drawing import (
    Colours,
    element,
    escaped,
    fitting,
    number,
    picture,
    said,
    width_of,
)
from leaderboard.boards.exports.table import Table, Values
from leaderboard.boards.frozen import Cell, Line
from leaderboard.boards.templatetags.bars import Axis

WIDTH, ROW, HEAD, FOOT, EDGE = 1200.0, 36.0, 132.0, 84.0, 48.0
RANK, NAME, VALUE, BAR = 96.0, 148.0, 620.0, 772.0
BAR_WIDTH = WIDTH - EDGE - BAR


@dataclass(frozen=True)
class Shown:
    """A score as an axis takes it: shares times 100, None for n/a."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Figure:
    """`place` is that of the measure among those of the table; `most` rows at most."""

    table: Table
    place: int
    colours: Colours
    most: int

    @property
    def measure(self) -> Values:
        return self.table.measures[self.place]

    @property
    def lines(self) -> Sequence[Line]:
        return self.table.lines[: self.most]

    @property
    def height(self) -> float:
        return HEAD + ROW * max(len(self.lines), 1) + FOOT

    def cell(self, line: Line) -> Cell:
        return self.table.cells(line)[self.place]

    def shown(self, line: Line) -> Shown:
        score = line.data["scores"][self.measure["name"]]
        factor = 100 if self.measure["percent"] else 1
        ends = (score[end] for end in ("value", "low", "high"))
        return Shown(*(None if one is None else one * factor for one in ends))

    @property
    def axis(self) -> Axis | None:
        """Around ranked, complete systems: others are far off and would squeeze it."""
        typical = [
            self.shown(line)
            for line in self.lines
            if line.data["rank"] is not None and line.data["complete"]
        ]
        every = [self.shown(line) for line in self.lines]
        return Axis.around(typical) or Axis.around(every)  # type: ignore[arg-type]


def drawn(figure: Figure) -> str:
    rows = [
        part
        for place, line in enumerate(figure.lines)
        for part in _row(figure, line, HEAD + ROW * place)
    ]
    if not rows:
        middle = HEAD + ROW / 2
        rows = [said(_("No scores yet"), NAME, middle, fill=figure.colours.muted)]
    size = (WIDTH, figure.height)
    ground = element(
        "rect",
        width=number(WIDTH),
        height=number(figure.height),
        fill=figure.colours.page,
    )
    parts = [ground, *_head(figure), *rows, *_foot(figure)]
    return picture(size, _title(figure), parts)


def _title(figure: Figure) -> str:
    return f"{figure.table.title} · {figure.measure['title']}"


def _head(figure: Figure) -> list[str]:
    colours, table = figure.colours, figure.table
    title = fitting(table.title, 30, WIDTH - 2 * EDGE)
    told = [
        figure.measure["title"],
        _("%(level)s intervals") % {"level": f"{table.data['level']:.0%}"},
        words.synthetic(table),
    ]
    below = fitting(" · ".join(filter(None, told)), 18, WIDTH - 2 * EDGE)
    chosen = fitting(words.chosen(table), 16, BAR - EDGE)
    return [
        said(title, EDGE, 56, font_size=30, font_weight=650, fill=colours.text),
        said(below, EDGE, 88, font_size=18, fill=colours.muted),
        *([said(chosen, EDGE, 114, font_size=16, fill=colours.text)] if chosen else ()),
        *_scale(figure),
    ]


def _scale(figure: Figure) -> list[str]:
    axis, colours = figure.axis, figure.colours
    if axis is None:
        return []
    low, high = axis.ends
    marks = {"y": HEAD - 10, "font_size": 15, "fill": colours.muted}
    return [
        said(low, BAR, **marks),
        said(high, BAR + BAR_WIDTH, text_anchor="end", **marks),
    ]


def _row(figure: Figure, line: Line, top: float) -> list[str]:
    colours, middle, base = figure.colours, top + ROW / 2, top + ROW / 2 + 6
    parts = [
        _rule(
            colours.strong if line.line_above else colours.line,
            top,
            2 if line.line_above else 1,
        )
    ]
    doubt = words.doubt(line)
    rank = words.rank(line)
    parts.append(
        said(
            rank,
            RANK,
            base,
            font_size=18,
            font_weight=650,
            text_anchor="end",
            fill=colours.text,
        )
    )
    if doubt:
        parts.append(said(doubt, RANK + 6, base, font_size=13, fill=colours.muted))
    parts += [_names(figure, line, base), *_score(figure, line, base)]
    return parts + _bar(figure, line, middle)


def _rule(colour: str, y: float, height: int) -> str:
    width = number(WIDTH - 2 * EDGE)
    return element(
        "rect", x=number(EDGE), y=number(y), width=width, height=height, fill=colour
    )


def _names(figure: Figure, line: Line, base: float) -> str:
    """Team and system in one text, so that the second follows where the first ends."""
    colours = figure.colours
    room = VALUE - NAME - 96
    team = fitting(line.data["team"], 18, room * 0.6)
    marks = ", ".join(words.marks(line.data))
    rest = line.data["system"] + (f" ({marks})" if marks else "")
    system = fitting(rest, 16, room - width_of(team, 18) - 10)
    first = element("tspan", escaped(team), font_weight=650, fill=colours.text)
    second = element(
        "tspan", escaped(system) or " ", dx=10, font_size=16, fill=colours.muted
    )
    return element("text", first + second, x=number(NAME), y=number(base), font_size=18)


def _score(figure: Figure, line: Line, base: float) -> list[str]:
    cell, colours = figure.cell(line), figure.colours
    found = [
        said(
            cell.value,
            VALUE,
            base,
            font_size=18,
            font_weight=650,
            text_anchor="end",
            fill=colours.text,
        )
    ]
    if cell.interval:
        found.append(
            said(cell.interval, VALUE + 12, base, font_size=15, fill=colours.muted)
        )
    return found


def _bar(figure: Figure, line: Line, middle: float) -> list[str]:
    axis, shown = figure.axis, figure.shown(line)
    bar = axis.bar(shown) if axis else None  # type: ignore[arg-type]
    if bar is None:
        return []
    colours = figure.colours
    colour = colours.strong if line.data["baseline"] else colours.accent
    track = element(
        "rect",
        x=number(BAR),
        y=number(middle),
        width=number(BAR_WIDTH),
        height=1,
        fill=colours.line,
    )
    if bar.beyond:
        return [track, _arrow(bar.below, middle, colour)]
    start, width, point = (_pixels(one) for one in (bar.start, bar.width, bar.point))
    span = element(
        "rect",
        x=number(BAR + start),
        y=number(middle - 7),
        height=14,
        width=number(width),
        rx=2,
        fill=colour,
        opacity=0.4,
    )
    mark = element(
        "rect",
        x=number(BAR + point - 2),
        y=number(middle - 11),
        width=4,
        height=22,
        rx=2,
        fill=colour,
    )
    return [track, span, mark]


def _pixels(share: str) -> float:
    return float(share.removesuffix("%")) / 100 * BAR_WIDTH


def _arrow(below: bool, middle: float, colour: str) -> str:
    x, step = (BAR, 10) if below else (BAR + BAR_WIDTH, -10)
    path = f"M{number(x)} {number(middle)}l{step}-7v14z"
    return element("path", d=path, fill=colour)


def _foot(figure: Figure) -> list[str]:
    table, colours = figure.table, figure.colours
    top = figure.height - FOOT
    more = len(table.lines) - len(figure.lines)
    told = words.source(table)
    if more > 0:
        rest = _("And %(number)s more.") % {"number": more}
        told = f"{rest} {told}"
    style = {"font_size": 14, "fill": colours.muted}
    room = WIDTH - 2 * EDGE
    return [
        _rule(colours.line, top, 1),
        said(fitting(told, 14, room), EDGE, top + 32, **style),
        said(fitting(table.about.address, 14, room), EDGE, top + 56, **style),
    ]
