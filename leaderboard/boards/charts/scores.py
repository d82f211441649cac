"""Charts of rows alone: one measure, two measures, and scores over time."""

from collections.abc import Sequence

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.charts.figures import (
    MOST_ROWS,
    Chart,
    ChartColumn,
    axis,
    bars,
    figure,
    height_of,
    hover,
    label,
    listed,
    names,
    points,
    system_columns,
)
from leaderboard.boards.rows import Row
from scoring.measures import Measure

PLANE_HEIGHT = 480
MOST_ENTRIES = 1000


def _with_scores(rows: Sequence[Row], *measures: Measure) -> list[Row]:
    return [
        row
        for row in rows
        if all(row.by_measure[m.name].value is not None for m in measures)
    ]


def forest(board: Board) -> Chart:
    """Each row's score with its interval, in the order of the board."""
    measure = board.measure
    known = _with_scores(board.rows, measure)
    rows = known[:MOST_ROWS]
    scores = [row.by_measure[measure.name] for row in rows]
    trace = points(
        rows,
        [hover(row, score) for row, score in zip(rows, scores, strict=True)],
        x=[score.value for score in scores],
        y=list(range(len(rows))),
        error_x=bars(scores),
    )
    x, y = axis(measure.title), listed(names(rows))
    return Chart(
        _("%(measure)s of each system") % {"measure": measure.title},
        _("Each point is a score, each line its %(share)s interval. Hollow: unranked.")
        % {"share": f"{board.level * 100:g}%"},
        figure([trace], height_of(len(rows)), x, y),
        system_columns(measure.title, _("Interval")),
        [
            (row.team, row.system, score.printed, score.interval)
            for row, score in zip(rows, scores, strict=True)
        ],
        len(known) - len(rows),
    )


def plane(board: Board, up: Measure) -> Chart:
    """The board's measure against another one, each with its interval."""
    across = board.measure
    known = _with_scores(board.rows, across, up)
    rows = known[:MOST_ENTRIES]
    xs = [row.by_measure[across.name] for row in rows]
    ys = [row.by_measure[up.name] for row in rows]
    trace = points(
        rows,
        [hover(row, x, y) for row, x, y in zip(rows, xs, ys, strict=True)],
        x=[score.value for score in xs],
        y=[score.value for score in ys],
        error_x=bars(xs),
        error_y=bars(ys),
    )
    return Chart(
        _("%(up)s against %(across)s") % {"up": up.title, "across": across.title},
        _("Each point is a system, its lines are the %(share)s intervals.")
        % {"share": f"{board.level * 100:g}%"},
        figure([trace], PLANE_HEIGHT, axis(across.title), axis(up.title)),
        system_columns(across.title, up.title),
        [
            (row.team, row.system, x.printed, y.printed)
            for row, x, y in zip(rows, xs, ys, strict=True)
        ],
        len(known) - len(rows),
    )


def timeline(board: Board) -> Chart:
    """Rows by the time they came, and the best of those that rank until then.

    It knows no rows but those that the reader's board shows, so a score that is not
    published moves no line.
    """
    measure = board.measure
    known = sorted(_with_scores(board.rows, measure), key=lambda row: row.last)
    rows = known[-MOST_ENTRIES:]
    scores = [row.by_measure[measure.name] for row in rows]
    best = best_so_far(known, measure)[-MOST_ENTRIES:]
    times = [row.received_at.isoformat() for row in rows]
    trace = points(
        rows,
        [hover(row, score) for row, score in zip(rows, scores, strict=True)],
        x=times,
        y=[score.value for score in scores],
        error_y=bars(scores),
    )
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": times,
        "y": best,
        "line": {"shape": "hv"},
        "hoverinfo": "skip",
        "name": label(_("Best so far")),
        "meta": {"part": "line"},
    }
    if board.disclosure.everything:
        note = _("Every entry that the board shows; the line is the best so far.")
    else:
        note = _(
            "The newest published entry of each team, which is all that is shown now; "
            "the line is the best of these so far."
        )
    return Chart(
        _("%(measure)s over time") % {"measure": measure.title},
        note,
        figure([line, trace], PLANE_HEIGHT, axis(type="date"), axis(measure.title)),
        (
            ChartColumn(_("Sent"), number=False),
            *system_columns(measure.title, _("Best so far")),
        ),
        [
            (
                date_format(row.received_at, "DATETIME_FORMAT"),
                row.team,
                row.system,
                score.printed,
                "" if top is None else f"{top:.{score.decimals[0]}f}",
            )
            for row, score, top in zip(rows, scores, best, strict=True)
        ],
        len(known) - len(rows),
    )


def best_so_far(rows: Sequence[Row], measure: Measure) -> list[float | None]:
    """The best score up to each row, of rows that compete: no other moves the line."""
    choose = max if measure.higher_is_better else min
    best: float | None = None
    running = []
    for row in rows:
        value = row.by_measure[measure.name].value
        if value is not None and row.competes:
            best = value if best is None else choose(best, value)
        running.append(best)
    return running
