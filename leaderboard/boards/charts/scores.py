"""The chart of scores with their intervals."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.charts.figures import (
    MOST_ROWS,
    Chart,
    axis,
    figure,
    height_of,
    hover,
    on_scale,
    points,
    share_of,
    system_columns,
    systems_axis,
)
from leaderboard.boards.render import axis_of
from leaderboard.boards.rows import Row
from scoring.measures import Measure


def with_scores(rows: Sequence[Row], *measures: Measure) -> list[Row]:
    return [
        row
        for row in rows
        if all(row.by_measure.value(m.name) is not None for m in measures)
    ]


def forest(board: Board) -> Chart:
    """Each row's score with its interval, in the order of the board."""
    measure = board.measure
    known = with_scores(board.rows, measure)
    rows = known[:MOST_ROWS]
    scores = [row.by_measure[measure.name] for row in rows]
    placed, ends = on_scale(axis_of(board), scores, ("left", "right"))
    trace = points(
        rows,
        [hover(row, score) for row, score in zip(rows, scores, strict=True)],
        beyond=placed["beyond"],
        x=placed["values"],
        y=list(range(len(rows))),
        error_x=placed["bars"],
    )
    x, y = axis(measure.title, **ends), systems_axis(rows)
    return Chart(
        _("%(measure)s of each system") % {"measure": measure.title},
        _(
            "Dots show scores, bars %(share)s confidence intervals; hollow dots are "
            "not ranked."
        )
        % share_of(board)
        + off_scale(placed["beyond"]),
        figure([trace], height_of(len(rows)), x, y),
        system_columns(measure.title, _("Interval")),
        [
            (row.team, row.system, score.printed, score.interval)
            for row, score in zip(rows, scores, strict=True)
        ],
        len(known) - len(rows),
    )


def off_scale(beyond: Sequence[str]) -> str:
    """A sentence on arrows, where there are some."""
    if not any(beyond):
        return ""
    return " " + _("An arrow is a score beyond that end of the scale.")
