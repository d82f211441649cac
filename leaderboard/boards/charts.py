"""Figures from the rows of a board: data in, Plotly's description out."""

from html import escape
from typing import Any

from plotly import graph_objects

from leaderboard.boards.rows import Board, Row
from leaderboard.boards.templatetags import scores
from leaderboard.submissions.scores import Score
from scoring.measures import Measure

MOST_ROWS = 60
ROW_HEIGHT = 26
MARGINS = 96
NAME_LENGTH = 32


def label(text: str) -> str:
    """Text as Plotly shows it literally: it would read tags and TeX."""
    short = text if len(text) <= NAME_LENGTH else text[: NAME_LENGTH - 1] + "…"
    return escape(short, quote=False).replace("$", "&#36;")


def forest(board: Board, position: int) -> dict[str, Any]:
    """Each row's score of one measure with its interval, best on top."""
    measure = board.measures[position]
    rows = [row for row in board.rows if row.scores[position].value is not None]
    rows = rows[:MOST_ROWS]
    shown = [row.scores[position] for row in rows]
    points = graph_objects.Scatter(
        x=[score.value for score in shown],
        y=list(range(len(rows))),
        error_x=_bars(shown),
        mode="markers",
        customdata=[_hover(row, row.scores[position]) for row in rows],
        hovertemplate="%{customdata}<extra></extra>",
    )
    figure = graph_objects.Figure(points, _layout(measure, rows))
    plain: dict[str, Any] = figure.to_plotly_json()
    # Seven kilobytes of defaults that the theme of the page overrides anyway.
    plain["layout"].pop("template", None)
    return {**plain, "name": measure.name, "title": measure.title}


def _bars(shown: list[Score]) -> dict[str, Any]:
    above = [_distance(score.high, score.value) for score in shown]
    below = [_distance(score.value, score.low) for score in shown]
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below}


def _distance(more: float | None, less: float | None) -> float:
    return 0.0 if more is None or less is None else more - less


def _hover(row: Row, score: Score) -> str:
    return (
        f"{label(row.team)}, {label(row.system)}<br>{scores.value(score)} "
        f"{scores.interval(score)}"
    )


def _layout(measure: Measure, rows: list[Row]) -> dict[str, Any]:
    return {
        "height": ROW_HEIGHT * len(rows) + MARGINS,
        "showlegend": False,
        "xaxis": {"title": {"text": label(measure.title)}, "zeroline": False},
        "yaxis": {
            "tickmode": "array",
            "tickvals": list(range(len(rows))),
            "ticktext": [label(f"{row.team} · {row.system}") for row in rows],
            "range": [len(rows) - 0.5, -0.5],
            "automargin": True,
            "zeroline": False,
        },
    }


def forests(board: Board) -> list[dict[str, Any]]:
    """One figure per column of the board; none without rows."""
    if not board.rows:
        return []
    return [forest(board, position) for position in range(len(board.measures))]
