"""Parts of charts: figures as Plotly takes them, and the tables of numbers behind them.

Colours are the page's: a trace says in `meta` which part it plays, and what draws it
(`web/charts/picture.py`, or the script for who zooms in) dresses it for light or dark.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.rows import Row
from leaderboard.results.score_bars import Axis
from leaderboard.results.scores import Score
from leaderboard.web.charts.picture import Figure, as_file
from leaderboard.web.templatetags.formats import share

MOST_ROWS = 60
ROW_HEIGHT = 26
MARGINS = 96
NAME_LENGTH = 80  # as long as a name of a system can be
ROOM = 0.03  # beside either end of a scale, for marks that stand there


@dataclass(frozen=True)
class ChartColumn:
    """`team`: its cells are names of teams as the board prints them."""

    title: str
    number: bool = True
    team: bool = False


def system_columns(*titles: str) -> tuple[ChartColumn, ...]:
    """Team and system, then numbers."""
    return (
        ChartColumn(_("Team"), number=False, team=True),
        ChartColumn(_("System"), number=False),
        *(ChartColumn(title) for title in titles),
    )


@dataclass(frozen=True)
class Chart:
    """A figure with its title, its note and its numbers; `lines` fit `head`.

    `left_out` is how many systems there are beside those shown. Without lines there is
    nothing to draw, and `note` says why.
    """

    title: str
    note: str
    figure: Figure = field(default_factory=dict)
    head: Sequence[ChartColumn] = ()
    lines: Sequence[Sequence[str]] = ()
    left_out: int = 0

    def as_file(
        self, heading: Sequence[str], pins: Mapping[str, int] | None = None
    ) -> str:
        """The picture as SVG with its heading, in which nothing is the reader's own but
        the `pins`, see `marked_own`."""
        figure, _own = marked_own(self.figure, (), pins)
        return as_file(figure, heading, self.note)


def label(text: str, most: int = NAME_LENGTH) -> str:
    """Text as Plotly shows it literally: it would read tags, entities and TeX."""
    plain = "".join(char if char.isprintable() else " " for char in text)
    short = plain if len(plain) <= most else plain[: most - 1] + "…"
    return escape(short, quote=False).replace("$", "&#36;")


def names(rows: Sequence[Row]) -> list[str]:
    """Team and system of each row, as labels."""
    return [f"{label(row.team)} · {label(row.system)}" for row in rows]


def systems_axis(rows: Sequence[Row]) -> dict[str, Any]:
    """An axis of the names of these rows, the first on top."""
    return names_axis(names(rows), of=[row.submission for row in rows])


def hover(row: Row, *scores: Score) -> str:
    """The text beside the pointer: team, system, and scores with their intervals."""
    lines = [f"{label(row.team)}, {label(row.system)}"]
    lines += [
        f"{label(score.measure.title)} {score.printed} {score.interval}"
        for score in scores
    ]
    return "<br>".join(lines)


def bars(scores: Sequence[Score]) -> dict[str, Any]:
    """Intervals around points."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [_distance(score.high, score.value) for score in scores],
        "arrayminus": [_distance(score.value, score.low) for score in scores],
    }


def _distance(more: float | None, less: float | None) -> float:
    return 0.0 if more is None or less is None else max(more - less, 0.0)


def points(
    rows: Sequence[Row],
    texts: Sequence[str],
    named: Sequence[Row] = (),
    beyond: Sequence[str] = (),
    behind: Sequence[bool] = (),
    **values: Any,
) -> Figure:
    """A trace of points; the systems of `named` rows are written beside theirs.

    `of` in its `meta` says whose they are, for `marked_own`, `beyond` where the arrows
    point of those that lie off the scale, and `behind` which stand back.
    """
    names = {"text": [label(row.system) if row in named else "" for row in rows]}
    return {
        "type": "scatter",
        "mode": "markers+text" if named else "markers",
        **(names if named else {}),
        "customdata": list(texts),
        "hovertemplate": "%{customdata}<extra></extra>",
        "meta": {
            "part": "points",
            "hollow": [not row.competes for row in rows],
            "of": [row.submission for row in rows],
            "names": [label(row.system) for row in rows],
            "beyond": list(beyond),
            "behind": list(behind),
        },
        **values,
    }


def marked_own(
    figure: Figure, own: Collection[str], pins: Mapping[str, int] | None = None
) -> tuple[Figure, bool]:
    """The figure with what is the reader's own marked, and whether anything is.

    `own` are submissions and names of teams, and `pins` places of those that are
    pinned, which are named. Whose the rest is stays behind.
    """
    places = pins or {}
    traces = []
    for trace in figure["data"]:
        meta = dict(trace["meta"])
        of = meta.pop("of", ())
        meta["own"] = [key in own for key in of]
        marked = {**trace, "meta": meta}
        systems = meta.pop("names", ())
        if places and of:
            meta["pinned"] = [places.get(key, 0) for key in of]
            # Beside a list of names points need none.
            if systems and "meta" not in figure["layout"]:
                texts = trace.get("text", [""] * len(systems))
                told = zip(texts, systems, meta["pinned"], strict=True)
                marked["text"] = [name if pin else text for text, name, pin in told]
                marked["mode"] = "markers+text"
        traces.append(marked)
    layout = dict(figure["layout"])
    if "meta" in layout:
        meta = dict(layout["meta"])
        keys = meta.pop("of")
        meta["pinned"] = [places.get(key, 0) for key in keys]
        layout["meta"] = meta
    any_own = any(any(trace["meta"]["own"]) for trace in traces)
    return {"data": traces, "layout": layout}, any_own


def on_scale(
    scale: Axis | None, scores: Sequence[Score], sides: tuple[str, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values, intervals and `beyond` of points, and the range of their axis.

    What lies beyond an end of the scale is an arrow at that end, without an interval:
    one score far off would leave the others no room. `sides` is where arrows point.
    """
    values = [score.value for score in scores]
    intervals = bars(scores)
    if scale is None:
        return {"values": values, "bars": intervals, "beyond": ()}, {}
    below, above = sides
    beyond = [
        ""
        if value is None or scale.low <= value <= scale.high
        else (below if value < scale.low else above)
        for value in values
    ]
    for key in ("array", "arrayminus"):
        pairs = zip(intervals[key], beyond, strict=True)
        intervals[key] = [0.0 if side else length for length, side in pairs]
    shown = [
        None if value is None else min(max(value, scale.low), scale.high)
        for value in values
    ]
    room = ROOM * (scale.high - scale.low)
    ends = {"range": [scale.low - room, scale.high + room]}
    return {"values": shown, "bars": intervals, "beyond": beyond}, ends


def axis(title: str = "", **more: Any) -> dict[str, Any]:
    """An axis of numbers with this title."""
    return {"title": {"text": label(title, 80)}, "zeroline": False, **more}


def names_axis(texts: Sequence[str], **more: Any) -> dict[str, Any]:
    """An axis of names, the first on top."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(texts))),
        "ticktext": list(texts),
        "range": [len(texts) - 0.5, -0.5],
        "automargin": True,
        "zeroline": False,
        **more,
    }


def between_rows(place: int) -> dict[str, Any]:
    """A line above the row at that place."""
    ends = {"x0": 0, "x1": 1, "y0": place - 0.5, "y1": place - 0.5}
    return {"type": "line", "xref": "paper", "layer": "below", **ends}


def figure(
    traces: Sequence[Mapping[str, Any]],
    height: int,
    x: Mapping[str, Any],
    y: Mapping[str, Any],
    **layout: Any,
) -> Figure:
    """A picture of these traces, `height` pixels high, with two axes."""
    return {
        "data": list(traces),
        "layout": {
            "height": height,
            "showlegend": False,
            "xaxis": dict(x),
            "yaxis": {key: value for key, value in y.items() if key != "of"},
            **({"meta": {"of": y["of"]}} if "of" in y else {}),
            **layout,
        },
    }


def height_of(rows: float) -> int:
    """The height of a picture with so many rows, in pixels."""
    return round(ROW_HEIGHT * rows) + MARGINS


def heat(
    cells: Sequence[Sequence[float | None]],
    texts: Sequence[Sequence[str]],
    names: tuple[Sequence[str], Sequence[str]],
    pointed: tuple[str, Sequence[Sequence[str]]],
    part: str,
) -> Figure:
    """A trace of coloured squares; `part` is "sequential" or "diverging".

    `names` are those of lines and of columns. `pointed` is what stands beside the
    pointer: a form with {line}, {column} and {text}, and the text of each square.
    """
    return {
        "type": "heatmap",
        "z": [list(row) for row in cells],
        "text": [list(row) for row in texts],
        "texttemplate": "%{text}",
        "customdata": _hovers(*pointed, *names),
        "hovertemplate": "%{customdata}<extra></extra>",
        "hoverongaps": False,
        "xgap": 1,
        "ygap": 1,
        "meta": {"part": part},
    }


def _hovers(
    form: str,
    texts: Sequence[Sequence[str]],
    lines: Sequence[str],
    columns: Sequence[str],
) -> list[list[str]]:
    """Texts of squares with the names of their line and column, for the pointer."""
    return [
        [
            form.format(line=label(line), column=label(column), text=label(text))
            for column, text in zip(columns, row, strict=True)
        ]
        for line, row in zip(lines, texts, strict=True)
    ]


def share_of(board: Board) -> dict[str, str]:
    """The level of the intervals, as notes of charts name it."""
    return {"share": share(board.level)}


def columns_axis(titles: Sequence[str]) -> dict[str, Any]:
    """Names above the squares."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(titles))),
        "ticktext": list(titles),
        "side": "top",
        "tickangle": -45 if len(titles) > 4 and max(map(len, titles)) > 3 else 0,
        "automargin": True,
        "showgrid": False,
        "zeroline": False,
    }
