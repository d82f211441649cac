"""Scores of systems on each slice of one grouping: a map of all, dots of some."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.extension.boards import Board, Row
from leaderboard.extension.charts import (
    MOST_ROWS,
    Chart,
    axis,
    columns_axis,
    figure,
    heat,
    height_of,
    hover,
    label,
    names_axis,
    on_scale,
    share_of,
    system_columns,
    systems_axis,
    without_outliers,
)
from leaderboard.extension.scores import Score, printed
from leaderboard.extension.statistics import Slice, scores_for
from scoring.measures import Measure

MOST_LABELS = 24
MOST_SYSTEMS = 8
FEW_COLUMNS = 12  # up to which a square has room for all decimals
# Of the room of a slice: between the dots of two systems; and, in lines of other
# charts, what a dot takes.
APART, DOT_LINES = 0.14, 0.45
LEGEND = 40


def on_slice(
    board: Board, rows: Sequence[Row], part: Slice, measure: Measure
) -> list[Score]:
    """Scores of these rows as the board would show them on that slice."""
    sample = replace(board, slice=part).sample_of([row.evaluation for row in rows])
    scores = scores_for(sample, (measure,))
    return [by_measure[measure.name] for by_measure in scores]


def dot_plot(
    measure: Measure,
    rows: Sequence[Row],
    labels: Sequence[str],
    table: Sequence[Sequence[Score]],
) -> dict[str, Any]:
    """A line for each slice, and on it a dot for each system, one below the other.

    `table` has the scores of each row on the slices.
    """
    middle = (len(rows) - 1) / 2
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": label(row.system),
            "x": [score.value for score in scores],
            "y": [i + (place - middle) * APART for i in range(len(labels))],
            "error_x": on_scale(None, scores, ("left", "right"))[0]["bars"],
            "customdata": [hover(row, score) for score in scores],
            "hovertemplate": "%{customdata}<extra></extra>",
            "meta": {"part": "dots", "place": place, "of": [row.submission]},
        }
        for place, (row, scores) in enumerate(zip(rows, table, strict=True))
    ]
    lines = len(labels) * max(1.0, DOT_LINES * len(rows))
    return figure(
        traces,
        height_of(lines) + LEGEND,
        axis(measure.title),
        names_axis([label(name) for name in labels]),
        showlegend=True,
    )


def slice_map(board: Board, group: str) -> Chart:
    """Systems by slices: the score of each on each, the stronger the colour the more.

    Scores far off, as those of a weak baseline, do not take the others' colours.
    """
    measure = board.measure
    title = _title(measure)
    rows = board.rows[:MOST_ROWS]
    labels, table = _table(board, rows, group)
    if not labels:
        return Chart(title, _("There are no slices to show here."))
    texts = [[score.printed for score in line] for line in table]
    systems = [row.system for row in rows]
    squares = heat(
        [[score.value for score in line] for line in table],
        [[_short(score, len(labels)) for score in line] for line in table],
        (systems, labels),
        ("{line}<br>{column}: {text}", texts),
        "sequential",
    )
    typical = without_outliers(score.ends for line in table for score in line)
    values = [value for value, _low, _high in typical if value is not None]
    if values:
        squares |= {"zmin": min(values), "zmax": max(values)}
    return Chart(
        f"{title}: {group}",
        _("The stronger the colour, the higher the score on that slice."),
        figure(
            [squares],
            height_of(len(rows)) + 40,
            columns_axis([label(name) for name in labels]),
            systems_axis(rows),
        ),
        system_columns(*labels),
        [
            (row.team, row.system, *(f"{s.printed} {s.interval}" for s in line))
            for row, line in zip(rows, table, strict=True)
        ],
        len(board.rows) - len(rows),
    )


def _title(measure: Measure) -> str:
    return _("%(measure)s per slice") % {"measure": measure.title}


def _short(score: Score, columns: int) -> str:
    """The score as a square has room for it."""
    if score.value is None:
        return ""
    return printed(score.value, score.decimals[columns > FEW_COLUMNS])


def _table(
    board: Board, rows: Sequence[Row], group: str
) -> tuple[list[str], list[list[Score]]]:
    """The slices of a grouping on which some row has a score, and a line of scores for
    each row."""
    by_label = {
        name: on_slice(board, rows, Slice(group, name), board.measure)
        for name in list(board.slices.get(group, ()))[:MOST_LABELS]
    }
    labels = [
        name
        for name, scores in by_label.items()
        if any(score.value is not None for score in scores)
    ]
    return labels, [[by_label[name][i] for name in labels] for i in range(len(rows))]


def slice_chart(board: Board, group: str, chosen: Sequence[str]) -> Chart:
    """Dots per slice for the first systems of the board, or those that were chosen."""
    measure = board.measure
    title = _title(measure)
    rows = [row for row in board.rows if row.submission in chosen] or list(board.rows)
    rows = rows[:MOST_SYSTEMS]
    labels, table = _table(board, rows, group)
    if not labels:
        return Chart(title, _("There are no slices to show here."))
    return Chart(
        f"{title}: {group}",
        _("Dots are scores on the units of one slice, with their %(share)s intervals.")
        % share_of(board),
        dot_plot(measure, rows, labels, table),
        system_columns(*labels),
        [
            (row.team, row.system, *(f"{s.printed} {s.interval}" for s in scores))
            for row, scores in zip(rows, table, strict=True)
        ],
        len(board.rows) - len(rows),
    )
