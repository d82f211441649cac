"""Scores of some systems on each slice of one grouping."""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.charts.figures import (
    MARGINS,
    ROW_HEIGHT,
    Chart,
    Figure,
    axis,
    bars,
    figure,
    hover,
    label,
    listed,
    share_of,
    system_columns,
)
from leaderboard.boards.rows import Row
from leaderboard.submissions.board_sample import Slice
from leaderboard.submissions.scores import Score, published
from scoring.measures import Measure

MOST_LABELS = 24
# A grouping with more labels than this is a list of documents, not a summary.
MOST_IN_SUMMARY = 12
MOST_SYSTEMS = 6
# Of the room of a slice: between the dots of two systems; and, in lines of other
# charts, what a dot takes.
APART, DOT_LINES = 0.14, 0.45
LEGEND = 40


def summary(board: Board) -> list[Slice]:
    """The slices that a page beside the charts has room for."""
    return [
        Slice(group, label)
        for group, labels in board.slices.items()
        if len(labels) <= MOST_IN_SUMMARY
        for label in labels
    ]


def on_slice(
    board: Board, rows: Sequence[Row], part: Slice, measure: Measure
) -> list[Score]:
    """Scores of these rows as the board would show them on that slice."""
    sample = replace(board, slice=part).sample_of([row.evaluation for row in rows])
    scores = published(sample, (measure,), board.disclosure)
    return [by_measure[measure.name] for by_measure in scores]


def dot_plot(
    measure: Measure,
    rows: Sequence[Row],
    labels: Sequence[str],
    table: Sequence[Sequence[Score]],
) -> Figure:
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
            "error_x": bars(scores),
            "customdata": [hover(row, score) for score in scores],
            "hovertemplate": "%{customdata}<extra></extra>",
            "meta": {"part": "dots", "place": place, "of": [row.submission]},
        }
        for place, (row, scores) in enumerate(zip(rows, table, strict=True))
    ]
    lines = len(labels) * max(1.0, DOT_LINES * len(rows))
    return figure(
        traces,
        round(ROW_HEIGHT * lines) + LEGEND + MARGINS,
        axis(measure.title),
        listed([label(name) for name in labels]),
        showlegend=True,
    )


def slice_chart(board: Board, group: str, chosen: Sequence[str]) -> Chart:
    """Dots per slice for the first systems of the board, or those that were chosen."""
    measure = board.measure
    title = _("%(measure)s per slice") % {"measure": measure.title}
    if group not in board.slices:
        return Chart(title, _("There are no slices to show here."))
    rows = [row for row in board.rows if row.submission in chosen] or list(board.rows)
    rows = rows[:MOST_SYSTEMS]
    by_label = {
        name: on_slice(board, rows, Slice(group, name), measure)
        for name in list(board.slices[group])[:MOST_LABELS]
    }
    # Slices on which no system has a score have no line.
    labels = [
        name
        for name, scores in by_label.items()
        if any(score.value is not None for score in scores)
    ]
    table = [[by_label[name][i] for name in labels] for i in range(len(rows))]
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
