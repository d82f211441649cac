"""The chart of scores with their intervals."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.boards.board import Board
from leaderboard.boards.charts.figures import (
    MOST_ROWS,
    Chart,
    axis,
    between_rows,
    figure,
    height_of,
    hover,
    on_scale,
    points,
    share_of,
    system_columns,
    systems_axis,
)
from leaderboard.boards.charts.kinds import ChartKind
from leaderboard.boards.render import axis_of, lines_above
from leaderboard.boards.rows import Row
from leaderboard.web.texts import wide_range
from scoring.measures import Measure

GROUPS = gettext_lazy(
    "Grey dots cannot be first; lines part groups that differ significantly."
)


def with_scores(rows: Sequence[Row], *measures: Measure) -> list[Row]:
    """Rows that have a value of each measure."""
    return [
        row
        for row in rows
        if all(row.by_measure.value(m.name) is not None for m in measures)
    ]


def forest(board: Board) -> Chart:
    """Each row's score with its interval, in the order of the board: who leads, who may
    lead too, and which groups differ significantly."""
    measure = board.measure
    known = with_scores(board.rows, measure)
    rows = known[:MOST_ROWS]
    scores = [row.by_measure[measure.name] for row in rows]
    placed, ends = on_scale(axis_of(board), scores, ("left", "right"))
    trace = points(
        rows,
        [hover(row, score) for row, score in zip(rows, scores, strict=True)],
        beyond=placed["beyond"],
        behind=[row.standing.low not in (None, 1) for row in rows],
        x=placed["values"],
        y=list(range(len(rows))),
        error_x=placed["bars"],
    )
    x, y = axis(measure.title, **ends), systems_axis(rows)
    above = lines_above(row.standing.cluster for row in rows)
    shapes = [between_rows(place) for place, line in enumerate(above) if line]
    lead = f"{board.lead} " if board.lead else ""
    return Chart(
        _("%(measure)s of each system") % {"measure": measure.title},
        lead
        + _(
            "Dots show scores, bars %(share)s confidence intervals; hollow dots are "
            "not ranked."
        )
        % share_of(board)
        + (f" {GROUPS}" if shapes else "")
        + off_scale(placed["beyond"]),
        figure([trace], height_of(len(rows)), x, y, shapes=shapes),
        system_columns(measure.title, _("Interval"), _("Possible ranks")),
        [
            (row.team, row.system, score.printed, score.interval, possible_ranks(row))
            for row, score in zip(rows, scores, strict=True)
        ],
        len(known) - len(rows),
    )


def possible_ranks(row: Row) -> str:
    """ "2–4", or the rank alone where no other is possible; empty without a rank."""
    rank, low, high = row.standing.rank, row.standing.low, row.standing.high
    return wide_range(rank, low, high) or ("" if rank is None else str(rank))


def off_scale(beyond: Sequence[str]) -> str:
    """A sentence on arrows, where there are some."""
    if not any(beyond):
        return ""
    return " " + _("An arrow is a score beyond that end of the scale.")


KINDS = (
    ChartKind(
        "scores",
        gettext_lazy("Who is ahead?"),
        lambda request: forest(request.board),
        position=10,
    ),
)
