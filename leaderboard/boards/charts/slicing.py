"""Scores of some systems on each slice of one grouping."""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from leaderboard.boards.charts.drawing import (
    Chart,
    Column,
    Figure,
    axis,
    bars,
    figure,
    hover,
    label,
)
from leaderboard.boards.ordering import Row
from leaderboard.boards.rows import Board
from leaderboard.submissions import publishing
from leaderboard.submissions.ranking import Slice
from leaderboard.submissions.scores import Score
from scoring.measures import Measure

MOST_LABELS = 24
# A grouping with more labels than this is a list of documents, not a summary.
MOST_IN_SUMMARY = 12
MOST_SYSTEMS = 6
HEIGHT = 420


def groups(board: Board) -> list[str]:
    """Groupings to choose from; none where slices are not shown."""
    return list(board.slices)


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
    """What the board would show of these rows on that slice."""
    field = replace(board, slice=part).field_of([row.evaluation for row in rows])
    found = publishing.published(field, (measure,), board.shown)
    return [of[measure.name] for of in found]


def slicing(board: Board, group: str, chosen: Sequence[str]) -> Chart:
    """Bars per slice for the first systems of the board, or those that were chosen."""
    measure = board.measure
    title = _("%(measure)s per slice") % {"measure": measure.title}
    if group not in board.slices:
        return Chart(title, _("There are no slices to show here."))
    rows = _rows(board, chosen)
    table = _defined(board, rows, group)
    labels = list(table)
    by_row = [[table[name][i] for name in labels] for i in range(len(rows))]
    traces = [
        _bars(place, row, labels, scores)
        for place, (row, scores) in enumerate(zip(rows, by_row, strict=True))
    ]
    drawn = figure(
        traces,
        HEIGHT,
        axis(type="category"),
        axis(measure.title),
        showlegend=True,
        barmode="group",
    )
    return Chart(
        f"{title}: {group}",
        _("Bars are scores on the units of one slice, with their %(share)s intervals.")
        % {"share": f"{board.level * 100:g}%"},
        drawn,
        (Column(_("Team"), False), Column(_("System"), False), *map(Column, labels)),
        [
            (row.team, row.system, *(f"{s.printed} {s.interval}" for s in scores))
            for row, scores in zip(rows, by_row, strict=True)
        ],
        len(board.rows) - len(rows),
    )


def _defined(board: Board, rows: Sequence[Row], group: str) -> dict[str, list[Score]]:
    """Scores by label, without those on which nobody has one."""
    names = list(board.slices[group])[:MOST_LABELS]
    found = {
        name: on_slice(board, rows, Slice(group, name), board.measure) for name in names
    }
    return {
        name: scores
        for name, scores in found.items()
        if any(score.value is not None for score in scores)
    }


def _rows(board: Board, chosen: Sequence[str]) -> list[Row]:
    wanted = [row for row in board.rows if row.submission in chosen]
    return (wanted or list(board.rows))[:MOST_SYSTEMS]


def _bars(
    place: int, row: Row, labels: Sequence[str], scores: Sequence[Score]
) -> Figure:
    return {
        "type": "bar",
        "name": label(row.system),
        "x": [label(name) for name in labels],
        "y": [score.value for score in scores],
        "error_y": bars(scores),
        "customdata": [hover(row, score) for score in scores],
        "hovertemplate": "%{customdata}<extra></extra>",
        "meta": {"part": "bars", "place": place},
    }
