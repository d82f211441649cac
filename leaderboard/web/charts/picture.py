"""Pictures of charts as SVG: a figure drawn by the site, without a script.

A picture is rectangles, paths, marks and texts in whole places; the template
`parts/picture.jinja` prints them and `static/picture.css` colours them.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from django.contrib.staticfiles import finders
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe

from leaderboard.web.charts.labels import Box, free_places
from leaderboard.web.templatetags.formats import day_text, decimal_figures, figures
from leaderboard.web.texts import fitting, in_lines, one_line, width_of

Figure = dict[str, Any]  # as Plotly takes it

WIDE, NARROW = 960, 340
LETTER, SMALL = 12, 11  # sizes of texts
GAP, EDGE, LINE = 8, 14, 18
NAME_LINE = 14.0  # of a name that has several
MOST_OF_TEAM = 150
MARK, OWN_MARK = 4.0, 6.0  # half the size of a mark
TURNED = 0.71  # sine of 45 degrees
HUES, DASHES = 6, 3
MOST_ON_SCREEN = 20  # rows
LEAD = 18  # a name farther from its point has a line to it
SHAPES = ("circle", "diamond", "square", "up", "cross", "down")
DAYS = (1, 2, 5, 7, 14, 30, 60, 90, 180, 365, 730, 1825, 3650)
HEAD_LINE, TITLE_LETTERS, HEAD_LETTERS = 20, 100, 140
STYLES = ("colours.css", "picture.css")
VARIABLE, SET = re.compile(r"var\(--([\w-]+)\)"), re.compile(r"--([\w-]+):\s*([^;]+);")


@dataclass(frozen=True)
class Rectangle:
    x: float
    y: float
    width: float
    height: float
    css: str
    strength: float = 1.0
    title: str = ""


@dataclass(frozen=True)
class Line:
    path: str
    css: str


@dataclass(frozen=True)
class Mark:
    x: float
    y: float
    path: str
    css: str
    title: str = ""


@dataclass(frozen=True)
class Words:
    """A text at its place; `anchor` is which end of it stands there."""

    x: float
    y: float
    text: str
    css: str = ""
    anchor: str = "start"
    turned: bool = False


@dataclass(frozen=True)
class PictureLink:
    """A part of a picture that leads somewhere, with what it says to the pointer."""

    x: float
    y: float
    width: float
    height: float
    address: str
    title: str


@dataclass
class ChartDrawing:
    """The marks of a picture, drawn layer by layer in this order."""

    width: int
    height: int
    squares: list[Rectangle] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)
    links: list[PictureLink] = field(default_factory=list)


@dataclass(frozen=True)
class Scale:
    """Numbers from `low` to `high` between two pixels."""

    low: float
    high: float
    start: float
    end: float

    def at(self, number: float) -> float:
        share = (number - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    @property
    def pixels(self) -> float:
        return abs(self.end - self.start)

    def holds(self, number: float) -> bool:
        low, high = sorted((self.low, self.high))
        return low <= number <= high


def plain(text: object) -> str:
    """The text of a label, which figures carry escaped."""
    label = unescape(str(text))
    return "".join(char if char.isprintable() else " " for char in label)


def pointer_lines(text: str) -> str:
    """The lines that a mark shows to the pointer."""
    return "\n".join(map(plain, text.split("<br>")))


def _number(value: Any) -> float:
    if isinstance(value, str):
        moment = datetime.fromisoformat(value)
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return zoned.timestamp()
    return float(value)


def draw_picture(figure: Figure, width: int = WIDE) -> ChartDrawing:
    """The figure at that width; its height is the figure's own."""
    return _Drawing(figure, width).picture


class _Drawing:
    """The work on one picture: room for names, then scales, then what is drawn."""

    def __init__(self, figure: Figure, width: int) -> None:
        layout = figure["layout"]
        self.across, self.up = layout["xaxis"], layout["yaxis"]
        self.of_rows = layout.get("meta", {})
        self.between_rows = layout.get("shapes", ())
        self.log = self.across.get("type") == "log"
        self.traces: Sequence[Mapping[str, Any]] = [
            _on_log_scale(trace) if self.log else trace for trace in figure["data"]
        ]
        self.narrow = width < WIDE
        self.picture = ChartDrawing(width, round(layout["height"]))
        self.crossed: list[Box] = []  # lines that no name should cover
        self.pins = any(any(t["meta"].get("pinned", ())) for t in self.traces)
        self.heat = any(trace["type"] == "heatmap" for trace in self.traces)
        self.legend = layout["showlegend"]
        self._make_room()
        if self.legend:
            self._add_legend()
        self._add_axes()
        for trace in self.traces:
            if trace["type"] == "heatmap":
                self._add_squares(trace)
            else:
                self._add_points(trace)
        self._name_points()
        self._name_teams()

    # Room and scales.

    def _make_room(self) -> None:
        width = self.picture.width
        self.rows = [self._row_name(text) for text in self.up.get("ticktext", ())]
        deepest = max(map(len, self.rows), default=1)
        self.picture.height += round(len(self.rows) * (deepest - 1) * NAME_LINE)
        height = self.picture.height
        self.columns = [plain(text) for text in self.across.get("ticktext", ())]
        up = self._ends(self.up, "y")
        if self.rows:
            lines = [line for name in self.rows for line in name]
            left = max(width_of(line, LETTER) for line in lines) + GAP
        else:
            ticks = _ticks(*up, 6, self.up.get("dtick"))
            left = max(width_of(text, SMALL) for _value, text in ticks) + GAP + 4
        self.left = min(left, self._most_for_names())
        self.right = width - EDGE - self._room_of_teams()
        self.top, self.bottom = self._margins(height)
        self.x = Scale(*self._ends(self.across, "x"), self.left, self.right)
        self.y = Scale(*up, self.bottom, self.top)

    def _row_name(self, text: str) -> list[str]:
        """Team and system in a line, or each in lines of its own."""
        name = plain(text)
        # Widths are estimates, and what is too wide is cut off where names begin.
        room = 0.95 * self._most_for_names() - GAP
        parts = [name] if width_of(name, LETTER) <= room else name.split(" · ")
        return [line for part in parts for line in in_lines(part, LETTER, room)] or [""]

    @property
    def tall(self) -> bool:
        """Whether a screen shows the upper rows alone: the scale stands there too."""
        return len(self.rows) > MOST_ON_SCREEN and not self.columns

    def _most_for_names(self) -> float:
        return (0.5 if self.narrow else 0.45) * self.picture.width

    def _room_of_teams(self) -> float:
        teams = [t for t in self.traces if t["meta"]["part"] == "team"]
        room = min(MOST_OF_TEAM, 0.4 * self.picture.width - 14)
        names = [in_lines(plain(t["text"][-1]), LETTER, room) for t in teams]
        widths = [width_of(line, LETTER) for name in names for line in name]
        return max(widths, default=0) + 14 if teams else 0

    def _margins(self, height: int) -> tuple[float, float]:
        above: float = EDGE
        self.turned = False
        if self.columns and self.across.get("side") == "top":
            cell = (self.right - self.left) / len(self.columns)
            longest = max(width_of(name, SMALL) for name in self.columns)
            self.turned = longest > cell - 4
            above = longest * TURNED + 16 if self.turned else LINE + 4
            above = min(above, height / 3)
        elif self.tall or plain(self.up.get("title", {}).get("text", "")):
            above += LINE
        if self.legend:
            above += LINE * len(self._legend_lines())
        below: float = EDGE if self.heat else LINE + 4
        if plain(self.across.get("title", {}).get("text", "")):
            below += LINE
        return above, height - below

    def _ends(self, axis: Mapping[str, Any], side: str) -> tuple[float, float]:
        """The ends that the axis names, or those that hold all points and intervals."""
        # Names of teams stand beside their lines, not in days to come.
        teams = any(trace["meta"]["part"] == "team" for trace in self.traces)
        if "range" in axis and not (teams and axis.get("type") == "date"):
            low, high = map(_number, axis["range"])
            return low, high
        if "ticktext" in axis:
            return -0.5, len(axis["ticktext"]) - 0.5
        ends: list[float] = []
        for trace in self.traces:
            values = [None if v is None else _number(v) for v in trace[side]]
            intervals = trace.get(f"error_{side}")
            more = intervals["array"] if intervals else [0.0] * len(values)
            less = intervals["arrayminus"] if intervals else [0.0] * len(values)
            for value, up, down in zip(values, more, less, strict=True):
                if value is not None:
                    ends += [value - down, value + up]
        low, high = min(ends, default=0.0), max(ends, default=1.0)
        pad = 0.03 * (high - low) or (43200.0 if axis.get("type") == "date" else 0.5)
        return low - pad, high + pad

    # Axes and legend.

    def _add_axes(self) -> None:
        words, lines = self.picture.words, self.picture.lines
        pinned = _one_for_each(self.of_rows.get("pinned"), 0, len(self.rows))
        links = _one_for_each(self.of_rows.get("links"), "", len(self.rows))
        for place, name in enumerate(self.rows):
            y = self.y.at(place)
            css = f"pinned hue-{_hue(pinned[place])}" if pinned[place] else ""
            first = y + 4 - NAME_LINE * (len(name) - 1) / 2
            for number, line in enumerate(name):
                at = round(first + NAME_LINE * number, 1)
                words.append(Words(self.left - GAP, at, line, css, "end"))
            told_by = " ".join(name)
            self._link(0, y - 9, self.left - GAP, 18, links[place], told_by)
            if not self.heat:
                lines.append(Line(f"M{self.left:.0f} {y}H{self.right:.0f}", "grid"))
        for rule in self.between_rows:
            y = self.y.at(rule["y0"])
            lines.append(Line(f"M0 {y}H{self.right:.0f}", "between"))
        if not self.rows:
            for value, text in _ticks(self.y.low, self.y.high, 6, self.up.get("dtick")):
                y = self.y.at(value)
                words.append(Words(self.left - GAP, y + 4, text, "tick", "end"))
                lines.append(Line(f"M{self.left:.0f} {y}H{self.right:.0f}", "grid"))
        self._add_columns() if self.columns else self._add_scale()
        title = plain(self.up.get("title", {}).get("text", ""))
        if title:
            title = fitting(title, SMALL, self.picture.width - 2 * EDGE)
            words.append(Words(2, self.top - 10, title, "axis"))
        title = plain(self.across.get("title", {}).get("text", ""))
        if title:
            y = self.picture.height - 6
            title = fitting(title, SMALL, self.right - self.left)
            words.append(Words(self.right, y, title, "axis", "end"))

    def _link(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        address: str,
        title: str,
    ) -> None:
        if address:
            place = (round(x, 1), round(y, 1), round(width, 1), height)
            self.picture.links.append(PictureLink(*place, address, title))

    def _add_columns(self) -> None:
        cell = (self.right - self.left) / len(self.columns)
        above = self.across.get("side") == "top"
        y = self.top - 6 if above else self.bottom + LINE - 4
        if self.turned and cell < SMALL:
            return  # names would lie over each other; they are those of the rows
        room = (self.top - 16) / TURNED if self.turned else cell - 4
        for place, name in enumerate(self.columns):
            x = self.x.at(place)
            text = fitting(name, SMALL, max(room, 8))
            anchor = "start" if self.turned else "middle"
            self.picture.words.append(Words(x, y, text, "tick", anchor, self.turned))

    def _add_scale(self) -> None:
        for value, text in self._scale_ticks():
            x = self.x.at(value)
            path = f"M{x} {self.top:.0f}V{self.bottom:.0f}"
            self.picture.lines.append(Line(path, "grid"))
            half = width_of(text, SMALL) / 2
            x = round(min(max(x, half), self.picture.width - half), 1)
            for y in (self.bottom + LINE - 3, self.top - 6)[: 1 + self.tall]:
                self.picture.words.append(Words(x, y, text, "tick", "middle"))

    def _scale_ticks(self) -> list[tuple[float, str]]:
        most = max(2, round(self.x.pixels / 110))
        if self.across.get("type") == "date":
            return _days(self.x.low, self.x.high, most)
        if self.log:
            return _powers(self.x.low, self.x.high, most)
        return _ticks(self.x.low, self.x.high, max(most, 4))

    def _legend_lines(self) -> list[list[tuple[str, int]]]:
        """Names with their places in the legend, in as many lines as they take."""
        lines: list[list[tuple[str, int]]] = [[]]
        used = 0.0
        for trace in self.traces:
            name = fitting(plain(trace["name"]), LETTER, self.picture.width - 40)
            width = width_of(name, LETTER) + 34
            if lines[-1] and used + width > self.picture.width - EDGE:
                lines.append([])
                used = 0.0
            lines[-1].append((name, trace["meta"]["place"]))
            used += width
        return lines

    def _add_legend(self) -> None:
        for number, line in enumerate(self._legend_lines()):
            x, y = 8.0, LINE * number + 10.0
            for name, place in line:
                path = shape(SHAPES[place % len(SHAPES)], MARK + 0.5)
                self.picture.marks.append(Mark(x, y, path, f"hue-{place % HUES}"))
                self.picture.words.append(Words(x + 10, y + 4, name))
                x = round(x + width_of(name, LETTER) + 34, 1)

    # What the figure shows.

    def _add_squares(self, trace: Mapping[str, Any]) -> None:
        part = trace["meta"]["part"]
        values = [z for row in trace["z"] for z in row if z is not None]
        whole = part == "diverging" or trace["meta"].get("shares")
        low = trace.get("zmin", 0.0 if whole else min(values, default=0.0))
        high = trace.get("zmax", 1.0 if whole else max(values, default=1.0))
        width = self.x.pixels / max(len(trace["z"][0]), 1)
        height = self.y.pixels / len(trace["z"])
        for i, row in enumerate(trace["z"]):
            for j, z in enumerate(row):
                css, strength = _shade(z, low, high, part)
                text = plain(trace["text"][i][j])
                x, y = self.x.at(j - 0.5), self.y.at(i - 0.5)
                if z is not None or text:
                    square = Rectangle(
                        x,
                        y,
                        round(width - 1, 1),
                        round(height - 1, 1),
                        css,
                        strength,
                        "" if self.narrow else pointer_lines(trace["customdata"][i][j]),
                    )
                    self.picture.squares.append(square)
                if text and width_of(text, SMALL) <= width:
                    middle = self.x.at(j), self.y.at(i) + 4
                    words = Words(*middle, text, "cell", "middle")
                    self.picture.words.append(words)

    def _add_points(self, trace: Mapping[str, Any]) -> None:
        meta = trace["meta"]
        part = meta["part"]
        xs = [None if x is None else self.x.at(_number(x)) for x in trace["x"]]
        ys = [None if y is None else self.y.at(_number(y)) for y in trace["y"]]
        hue = f" hue-{meta['place'] % HUES}" if "place" in meta else ""
        if "lines" in trace["mode"]:
            own = " own" if any(meta.get("own", ())) else ""
            own += self._pinned_line(meta)
            dash = f" dash-{meta['place'] // HUES % DASHES}" if hue else ""
            stairs = trace.get("line", {}).get("shape") == "hv"
            # A step beyond the scale lies at its end, as the mark of its point does.
            steps = [y if y is None else self._within(y) for y in ys] if stairs else ys
            path = _path(xs, steps, stairs)
            if stairs:
                self.crossed += _steps(xs, steps)
            self.picture.lines.append(Line(path, f"{part}{hue}{dash}{own}"))
        self._add_intervals(trace, xs, ys, hue)
        if "markers" not in trace["mode"]:
            return
        texts = trace.get("customdata") or [""] * len(xs)
        owns = meta.get("own") or [False] * len(xs)
        owns = owns if len(owns) == len(xs) else [owns[0]] * len(xs)
        hollow = meta.get("hollow") or [False] * len(xs)
        behind = meta.get("behind") or [False] * len(xs)
        beyond = meta.get("beyond") or [""] * len(xs)
        usual = "circle" if part != "dots" else SHAPES[meta["place"] % len(SHAPES)]
        pinned = _one_for_each(meta.get("pinned"), 0, len(xs))
        links = _one_for_each(meta.get("links"), "", len(xs))
        for place, (x, y) in enumerate(zip(xs, ys, strict=True)):
            if x is None or y is None:
                continue
            css = "".join(
                [
                    part,
                    hue,
                    " own" if owns[place] else "",
                    " hollow" if hollow[place] else "",
                    " behind" if behind[place] else "",
                ]
            )
            size = OWN_MARK if owns[place] else MARK - (part == "team")
            form = beyond[place] or usual
            if part == "points" and pinned[place]:
                css += f" pinned hue-{_hue(pinned[place])}"
                size = OWN_MARK
                form = beyond[place] or _shape_of_pin(pinned[place])
            elif part != "dots" and self.pins and not pinned[place]:
                css += " aside"
            path = shape(form, size)
            title = "" if self.narrow else pointer_lines(texts[place])
            self.picture.marks.append(Mark(x, y, path, css, title))
            told_by = pointer_lines(texts[place] or trace.get("name", ""))
            self._link(x - 9, y - 9, 18, 18, links[place], told_by)

    def _within(self, y: float) -> float:
        return min(max(y, self.top), self.bottom)

    def _pinned_line(self, meta: Mapping[str, Any]) -> str:
        """Whether a line of a team stands out or back, as classes."""
        if not self.pins or meta["part"] != "team":
            return ""
        return " pinned" if any(meta["pinned"]) else " aside"

    def _add_intervals(
        self,
        trace: Mapping[str, Any],
        xs: Sequence[float | None],
        ys: Sequence[float | None],
        hue: str,
    ) -> None:
        for side, scale in (("x", self.x), ("y", self.y)):
            intervals = trace.get(f"error_{side}")
            if not intervals:
                continue
            parts = []
            for place, value in enumerate(trace[side]):
                x, y = xs[place], ys[place]
                more, less = intervals["array"][place], intervals["arrayminus"][place]
                if x is None or y is None or not (more or less):
                    continue
                low, high = sorted((scale.low, scale.high))
                ends = (
                    scale.at(max(_number(value) - less, low)),
                    scale.at(min(_number(value) + more, high)),
                )
                if side == "x":
                    parts.append(f"M{ends[0]} {y}H{ends[1]}")
                    self.crossed.append(Box(ends[0], y - 1, ends[1], y + 1))
                else:
                    parts.append(f"M{x} {ends[0]}V{ends[1]}")
                    self.crossed.append(Box(x - 1, min(ends), x + 1, max(ends)))
            if parts:
                self.picture.lines.append(Line("".join(parts), f"interval{hue}"))

    def _name_points(self) -> None:
        """Names beside the points that the figure names, where none lies on another."""
        marks = [
            Box(m.x - MARK, m.y - MARK, m.x + MARK, m.y + MARK)
            for m in self.picture.marks
        ]
        for trace in self.traces:
            if trace["meta"]["part"] != "points" or "text" not in trace:
                continue
            points, names = [], []
            for x, y, text in zip(trace["x"], trace["y"], trace["text"], strict=True):
                if text and x is not None and y is not None:
                    points.append((self.x.at(_number(x)), self.y.at(_number(y))))
                    longest = (0.3 + 0.2 * self.narrow) * self.picture.width
                    names.append(in_lines(plain(text), SMALL, longest))
            sizes = [
                (max(width_of(line, SMALL) for line in name), (SMALL + 2.0) * len(name))
                for name in names
            ]
            room = Box(self.left, self.top, self.picture.width, self.bottom)
            places = free_places(points, sizes, marks, self.crossed, room)
            for (x, y), name, box in zip(points, names, places, strict=True):
                if box is None:
                    continue
                for above, line in enumerate(reversed(name)):
                    y_of_line = round(box.bottom - 3 - (SMALL + 2.0) * above, 1)
                    at = round(box.left, 1), y_of_line
                    self.picture.words.append(Words(*at, line, "name"))
                near = box.nearest(x, y)
                if math.dist(near, (x, y)) > LEAD:
                    path = f"M{x} {y}L{near[0]:.1f} {near[1]:.1f}"
                    self.picture.lines.append(Line(path, "lead"))

    def _name_teams(self) -> None:
        """Names behind the lines of teams, one below the other."""
        ends = []
        room = self.picture.width - self.right - 12
        for trace in self.traces:
            if trace["meta"]["part"] == "team":
                values = [y for y in trace["y"] if y is not None]
                if values:
                    y, place = self.y.at(values[-1]), trace["meta"]["place"]
                    name = in_lines(plain(trace["text"][-1]), LETTER, room)
                    ends += [(y, place, *line) for line in enumerate(name)]
        ends.sort()
        lowest = self.picture.height - 4.0 - LETTER * 1.15 * len(ends)
        last = -math.inf
        for number, (y, place, _line, text) in enumerate(ends):
            least = lowest + LETTER * 1.15 * number
            last = max(last + LETTER * 1.15, min(y + 4, least))
            at = self.right + 10, round(last, 1)
            self.picture.words.append(Words(*at, text, f"hue-{place % HUES}"))


Each = TypeVar("Each")


def _one_for_each(
    values: Sequence[Each] | None, none: Each, count: int
) -> Sequence[Each]:
    """Texts of a trace, one for each of its points or one for all."""
    if not values:
        return [none] * count
    return values if len(values) == count else [values[0]] * count


def _hue(pin: int) -> int:
    return (pin - 1) % HUES


def _shape_of_pin(pin: int) -> str:
    """The shape of a pin: with its hue no two of the first eight look alike."""
    return SHAPES[(pin - 1 + (pin - 1) // HUES) % len(SHAPES)]


def _shade(z: float | None, low: float, high: float, part: str) -> tuple[str, float]:
    """The colour of a square and how strong it is."""
    if z is None:
        return "absent", 1.0
    share = (z - low) / (high - low) if high > low else 0.5
    share = min(max(share, 0.0), 1.0)
    if part == "sequential":
        return "heat", round(0.06 + 0.94 * share, 2)
    return ("heat" if share >= 0.5 else "cold"), round(abs(2 * share - 1), 2)


def _path(xs: Sequence[Any], ys: Sequence[Any], stairs: bool) -> str:
    """A line through the points; where one is missing it begins anew."""
    path, on, last = [], False, None
    for x, y in zip(xs, ys, strict=True):
        if x is None or y is None:
            on = False
            continue
        if not on:
            path.append(f"M{x} {y}")
        elif stairs:
            path.append(f"H{x}" if y == last else f"H{x}V{y}")
        else:
            path.append(f"L{x} {y}")
        on, last = True, y
    return "".join(path)


def _steps(xs: Sequence[Any], ys: Sequence[Any]) -> list[Box]:
    """The boxes of the steps of a line of stairs."""
    points = [(x, y) for x, y in zip(xs, ys, strict=True) if x is not None and y]
    boxes = []
    for (x, y), (next_x, next_y) in pairwise(points):
        boxes.append(Box(x, y - 1, next_x, y + 1))
        boxes.append(Box(next_x - 1, min(y, next_y), next_x + 1, max(y, next_y)))
    return boxes


@cache
def shape(name: str, size: float) -> str:
    """The path of a mark around its middle; those named as sides are arrows."""
    s = size
    if name == "circle":
        return (
            f"M{-s:g} 0a{s:g} {s:g} 0 1 0 {2 * s:g} 0a{s:g} {s:g} 0 1 0 {-2 * s:g} 0Z"
        )
    corners = {
        "diamond": ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
        "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
        "up": ((0, -1.2), (1.1, 0.9), (-1.1, 0.9)),
        "down": ((0, 1.2), (1.1, -0.9), (-1.1, -0.9)),
        "left": ((-1.2, 0), (0.9, -1.1), (0.9, 1.1)),
        "right": ((1.2, 0), (-0.9, -1.1), (-0.9, 1.1)),
        "cross": (
            *((-0.4, -1.1), (0.4, -1.1), (0.4, -0.4), (1.1, -0.4), (1.1, 0.4)),
            *((0.4, 0.4), (0.4, 1.1), (-0.4, 1.1), (-0.4, 0.4), (-1.1, 0.4)),
            *((-1.1, -0.4), (-0.4, -0.4)),
        ),
    }[name]
    return "M" + "L".join(f"{x * s:.3g} {y * s:.3g}" for x, y in corners) + "Z"


def _ticks(
    start: float, end: float, most: int, step: float | None = None
) -> list[tuple[float, str]]:
    """Round numbers between the ends, about so many."""
    low, high = sorted((start, end))
    step = step or _rounded_up((high - low) / max(most, 1))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    first = math.ceil(round(low / step, 6))
    last = math.floor(round(high / step, 6))
    return [
        (number * step, decimal_figures(number * step, decimals))
        for number in range(first, last + 1)
    ]


def _on_log_scale(trace: Mapping[str, Any]) -> Mapping[str, Any]:
    """The trace with the powers of ten of what goes across."""
    return {**trace, "x": [None if x is None else math.log10(x) for x in trace["x"]]}


def _powers(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Powers of ten between the ends, each so many, and their halves where few."""
    first, last = math.floor(low), math.ceil(high)
    step = max(1, math.ceil((last - first) / most))
    heads = (1, 2, 5) if high - low < most / 3 else (1,)
    numbers = [
        head * 10.0**power for power in range(first, last + 1, step) for head in heads
    ]
    ticks = [(math.log10(number), compact(number)) for number in numbers]
    return [tick for tick in ticks if low <= tick[0] <= high]


def compact(number: float) -> str:
    """A round number in few letters: "0.5", "200", "70 k", "1 M"."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return figures(f"{number / size:g} {letter}")
    return figures(f"{number:g}")


def _rounded_up(step: float) -> float:
    """1, 2 or 5 times ten to n."""
    if step <= 0:
        return 1.0
    ten = 10.0 ** math.floor(math.log10(step))
    return next((f * ten for f in (1.0, 2.0, 5.0) if f * ten >= step), 10 * ten)


def _days(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Beginnings of days between the ends, about so many."""
    span = (high - low) / 86400
    step = next((days for days in DAYS if span / days <= most), DAYS[-1])
    day = datetime.fromtimestamp(low, UTC).replace(hour=0, minute=0, second=0)
    midnights = []
    day = day.replace(microsecond=0) + timedelta(days=1)
    while day.timestamp() <= high:
        midnights.append((day.timestamp(), day_text(day)))
        day += timedelta(days=step)
    return midnights


# Pictures as text: in a page, and as a file of their own.


def in_page(figure: Figure, title: str, description: str, name: str) -> str:
    """Two pictures of one figure, for wide pages and for narrow ones; the style sheet
    shows one of them."""
    about = {"title": plain(title), "description": plain(description)}
    return "".join(
        _render_part(draw_picture(figure, width), kind, name=f"{name}-{kind}", **about)
        for kind, width in (("wide", WIDE), ("narrow", NARROW))
    )


def as_file(figure: Figure, heading: Sequence[str], description: str) -> str:
    """A file of its own: what it is of above it, and its own colours."""
    title = _wrap(one_line(heading[0]), TITLE_LETTERS)
    rest = [w for line in heading[1:] for w in _wrap(one_line(line), HEAD_LETTERS)]
    lines = [("title", line) for line in title] + [("about", line) for line in rest]
    return _render_part(
        draw_picture(figure),
        "file",
        name="picture",
        title=plain(one_line(heading[0])),
        description=plain(one_line(description)),
        heading=[(css, plain(line)) for css, line in lines],
        top=HEAD_LINE * (len(lines) + 1),
        line=HEAD_LINE,
        style=_style(),
    )


def _render_part(picture: ChartDrawing, kind: str, **values: object) -> str:
    template = get_template("parts/picture.jinja", using="jinja2")
    return template.render({"picture": picture, "kind": kind, "top": 0, **values})


def _wrap(text: str, most: int) -> list[str]:
    """Words in lines of so many letters; one that is longer by itself is cut."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) > most and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return [line if len(line) <= most else line[: most - 1] + "…" for line in lines]


@cache
def _style() -> SafeString:
    """A style element with the picture's rules in plain colours.

    Not every program that reads SVG knows variables. Rules of dark pages follow for
    programs that ask.
    """
    sheets = "\n".join(Path(_find_template(name)).read_text() for name in STYLES)
    plain_text = re.sub(r"/\*.*?\*/", "", sheets, flags=re.DOTALL)
    light, dark = _colours(plain_text)
    text = plain_text[plain_text.index(".picture") :].strip()
    rules = (
        f"{_resolve_colours(text, light)}\n"
        f"@media (prefers-color-scheme: dark) {{\n{_resolve_colours(text, dark)}\n}}"
    )
    return mark_safe(f"<style>{rules}</style>")


def _find_template(name: str) -> str:
    path = finders.find(name)
    if not isinstance(path, str):
        raise FileNotFoundError(name)
    return path


def _colours(sheets: str) -> tuple[dict[str, str], dict[str, str]]:
    """Variables in light and in dark pages."""
    light: dict[str, str] = {}
    dark: dict[str, str] = {}
    for part in re.split(r"(?=:root)", sheets):
        if part.startswith(":root"):
            colours = dict(SET.findall(part.partition("}")[0]))
            (dark if light.keys() & colours.keys() else light).update(colours)
    return light, {**light, **dark}


def _resolve_colours(rules: str, colours: Mapping[str, str]) -> str:
    return VARIABLE.sub(lambda match: colours[match[1]], rules)
