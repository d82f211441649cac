"""Charts of rows alone: one measure, two measures, and scores over time."""

from collections.abc import Sequence

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from leaderboard.boards.charts.drawing import (
    MOST_ROWS,
    Chart,
    Column,
    Figure,
    axis,
    bars,
    figure,
    height_of,
    hover,
    label,
    listed,
    names,
    points,
    score_of,
)
from leaderboard.boards.ordering import Row
from leaderboard.boards.rows import Board
from scoring.measures import Measure

PLANE_HEIGHT = 480
MOST_ENTRIES = 1000


def _measured(rows: Sequence[Row], *measures: Measure) -> list[Row]:
    return [
        row
        for row in rows
        if all(score_of(row, measure).value is not None for measure in measures)
    ]


def forest(board: Board, measure: Measure) -> Chart:
    """Each row's score of one measure with its interval, in the order of the board."""
    known = _measured(board.rows, measure)
    rows = known[:MOST_ROWS]
    scores = [score_of(row, measure) for row in rows]
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
        (_team(), _system(), Column(measure.title), Column(_("Interval"))),
        [
            (row.team, row.system, score.printed, score.interval)
            for row, score in zip(rows, scores, strict=True)
        ],
        len(known) - len(rows),
    )


def plane(board: Board, across: Measure, up: Measure) -> Chart:
    """One measure against another, each with its interval."""
    known = _measured(board.rows, across, up)
    rows = known[:MOST_ENTRIES]
    pairs = [(score_of(row, across), score_of(row, up)) for row in rows]
    trace = points(
        rows,
        [hover(row, *pair) for row, pair in zip(rows, pairs, strict=True)],
        x=[one.value for one, _other in pairs],
        y=[other.value for _one, other in pairs],
        error_x=bars([one for one, _other in pairs]),
        error_y=bars([other for _one, other in pairs]),
    )
    return Chart(
        _("%(up)s against %(across)s") % {"up": up.title, "across": across.title},
        _("Each point is a system, its lines are the %(share)s intervals.")
        % {"share": f"{board.level * 100:g}%"},
        figure([trace], PLANE_HEIGHT, axis(across.title), axis(up.title)),
        (_team(), _system(), Column(across.title), Column(up.title)),
        [
            (row.team, row.system, one.printed, other.printed)
            for row, (one, other) in zip(rows, pairs, strict=True)
        ],
        len(known) - len(rows),
    )


def timeline(board: Board, measure: Measure) -> Chart:
    """Rows by the time they came, and the best of those that rank until then.

    Nothing but the rows that the reader's board shows, so what is not published moves
    no line.
    """
    known = sorted(_measured(board.rows, measure), key=lambda row: row.last)
    rows = known[-MOST_ENTRIES:]
    scores = [score_of(row, measure) for row in rows]
    best = running(known, measure)[-MOST_ENTRIES:]
    times = [row.received_at.isoformat() for row in rows]
    trace = points(
        rows,
        [hover(row, score) for row, score in zip(rows, scores, strict=True)],
        x=times,
        y=[score.value for score in scores],
        error_y=bars(scores),
    )
    return Chart(
        _("%(measure)s over time") % {"measure": measure.title},
        _timeline_note(board),
        figure(
            [_line(times, best), trace],
            PLANE_HEIGHT,
            axis(type="date"),
            axis(measure.title),
        ),
        (
            Column(_("Sent"), False),
            _team(),
            _system(),
            Column(measure.title),
            Column(_("Best so far")),
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


def _timeline_note(board: Board) -> str:
    if board.shown.everything:
        return _("Every entry that the board shows; the line is the best so far.")
    return _(
        "The newest published entry of each team, which is all that is shown now; the "
        "line is the best of these so far."
    )


def running(rows: Sequence[Row], measure: Measure) -> list[float | None]:
    """The best score up to each row, of what competes: nothing else moves the line."""
    choose = max if measure.higher_is_better else min
    best: float | None = None
    found = []
    for row in rows:
        value = score_of(row, measure).value
        if value is not None and row.competes:
            best = value if best is None else choose(best, value)
        found.append(best)
    return found


def _line(times: Sequence[str], best: Sequence[float | None]) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": list(times),
        "y": list(best),
        "line": {"shape": "hv"},
        "hoverinfo": "skip",
        "name": label(_("Best so far")),
        "meta": {"part": "line"},
    }


def _team() -> Column:
    return Column(_("Team"), number=False)


def _system() -> Column:
    return Column(_("System"), number=False)
