"""Charts of contests: pairwise wins with their tests, and where ranks fall."""

from collections.abc import Sequence

import numpy as np
from django.utils.translation import gettext as _

from leaderboard.boards.charts.contests import Contest, contest
from leaderboard.boards.charts.drawing import (
    Chart,
    Column,
    Figure,
    columns_axis,
    figure,
    heat,
    height_of,
    label,
    listed,
    names,
)
from leaderboard.boards.ordering import Row
from leaderboard.boards.rows import Board
from scoring.compare import numbers_or_none
from scoring.counts import Floats

MOST_SHOWN = 30
MARK = "*"
SHORT = 16
# Below this share of the resamples a place is not printed.
RARE = 0.005


def too_few(board: Board, title: str) -> Chart:
    if not board.shown.details:
        return Chart(title, _("Comparisons are not shown in this phase now."))
    return Chart(
        title, _("This needs 2 to 100 ranked systems that sent every test set.")
    )


def _shown(found: Contest, board: Board) -> list[int]:
    """Places in the contest of the rows that the reader's board shows."""
    kept = {row.submission for row in board.rows}
    places = [i for i, row in enumerate(found.rows) if row.submission in kept]
    return places[:MOST_SHOWN]


def winning(board: Board, whole: Board) -> Chart:
    """P(row is better than column), with a mark where Holm's test says they differ."""
    title = _("Who is better than whom: %(measure)s") % {"measure": board.measure.title}
    found = contest(whole)
    if found is None:
        return too_few(whole, title)
    chosen = _shown(found, board)
    rows = [found.rows[i] for i in chosen]
    alpha = round(1 - board.level, 9)
    texts = [
        [_win(found.wins[i, j], found.adjusted[i, j] < alpha) for j in chosen]
        for i in chosen
    ]
    note = _(
        "The share of shared resamples in which the system of the line is better "
        "than that of the column; ties count half. A star: they differ significantly "
        "at %(alpha)s (Holm over all ranked systems)."
    )
    return Chart(
        title,
        note % {"alpha": f"{alpha:g}"},
        _squares(found, chosen, texts),
        (_team(), _system(), *(Column(row.system) for row in rows)),
        [(row.team, row.system, *texts[i]) for i, row in enumerate(rows)],
        sum(row.may_rank for row in board.rows) - len(rows),
    )


def _squares(
    found: Contest, chosen: Sequence[int], texts: Sequence[Sequence[str]]
) -> Figure:
    rows = [found.rows[i] for i in chosen]
    wins = found.wins[np.ix_(chosen, chosen)]
    hovers = [
        [_duel(a, b, texts[i][j]) for j, b in enumerate(rows)]
        for i, a in enumerate(rows)
    ]
    drawn = heat(
        [numbers_or_none(row) for row in wins],
        [[label(one) for one in row] for row in texts],
        hovers,
        "diverging",
    )
    across = columns_axis([label(row.system, SHORT) for row in rows])
    return figure([drawn], height_of(len(rows)) + 60, across, listed(names(rows)))


def _win(share: float, differ: bool) -> str:
    if share != share:
        return "–"
    # Nothing that is only nearly certain prints as certain.
    text = f"{share:.2f}"
    if text == "1.00" and share < 1:
        text = ">0.99"
    elif text == "0.00" and share > 0:
        text = "<0.01"
    return f"{text}{MARK if differ else ''}"


def _duel(first: Row, second: Row, text: str) -> str:
    return f"{label(first.system)} / {label(second.system)}<br>{label(text)}"


def placing(board: Board, whole: Board) -> Chart:
    """In which share of the resamples each system takes each rank."""
    title = _("How sure the ranks are: %(measure)s") % {"measure": board.measure.title}
    found = contest(whole)
    if found is None:
        return too_few(whole, title)
    chosen = _shown(found, board)
    rows = [found.rows[i] for i in chosen]
    shares = found.places[chosen, : _last(found, chosen)]
    texts = [[_share(one) for one in row] for row in shares]
    numbers = [str(place + 1) for place in range(shares.shape[1])]
    note = _(
        "The share of shared resamples in which each system takes each rank. The "
        "range holds the ranks that the tests of pairs leave possible, with %(share)s "
        "confidence for all systems at once."
    )
    return Chart(
        title,
        note % {"share": f"{board.level * 100:g}%"},
        _ladder(rows, shares, texts, numbers),
        (_team(), _system(), Column(_("Range")), *map(Column, numbers)),
        [
            (row.team, row.system, row.rank_range, *(one or "0" for one in texts[i]))
            for i, row in enumerate(rows)
        ],
        sum(row.may_rank for row in board.rows) - len(rows),
    )


def _ladder(
    rows: Sequence[Row],
    shares: Floats,
    texts: Sequence[Sequence[str]],
    numbers: Sequence[str],
) -> Figure:
    hovers = [
        [
            f"{label(row.system)}<br>{n}: {one or 0}"
            for n, one in zip(numbers, of, strict=True)
        ]
        for row, of in zip(rows, texts, strict=True)
    ]
    cells = [[one or None for one in row] for row in shares.tolist()]
    drawn = heat(cells, texts, hovers, "sequential")
    drawn["meta"]["shares"] = True
    across = columns_axis(numbers)
    return figure([drawn], height_of(len(rows)) + 20, across, listed(names(rows)))


def _share(share: float) -> str:
    return f"{share:.2f}" if share >= RARE else ""


def _last(found: Contest, chosen: Sequence[int]) -> int:
    """The last rank that one of these takes often enough to print."""
    taken = (found.places[list(chosen)] >= RARE).any(axis=0).nonzero()[0]
    return int(taken[-1]) + 1 if len(taken) else 1


def _team() -> Column:
    return Column(_("Team"), number=False)


def _system() -> Column:
    return Column(_("System"), number=False)
