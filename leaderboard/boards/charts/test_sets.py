"""Charts over several test sets: of all systems, and of one closely (seed 003)."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.charts.figures import (
    MOST_ROWS,
    Chart,
    ChartColumn,
    axis,
    columns_axis,
    figure,
    heat,
    height_of,
    label,
    listed,
    names,
    system_columns,
)
from leaderboard.boards.rows import Row
from leaderboard.boards.test_set_correlation import across
from leaderboard.submissions import counts_cache
from leaderboard.submissions.scores import Score, published
from leaderboard.tasks.models import TestSet
from scoring.measures import Measure
from scoring.statistics.groups import LEAST

CURVE_HEIGHT = 420
ABSENT = "–"


def test_set_chart(board: Board) -> Chart:
    """Systems by test sets: the score of each on each."""
    measure = board.measure
    rows = board.rows[:MOST_ROWS]
    columns = [_on(board, rows, test_set, measure) for test_set in board.test_sets]
    table = [[column[i] for column in columns] for i in range(len(rows))]
    titles = [test_set.title for test_set in board.test_sets]
    texts = [[score.printed if score else ABSENT for score in row] for row in table]
    hovers = [
        [
            f"{label(row.system)}<br>{label(title)}: {text}"
            for title, text in zip(titles, texts[i], strict=True)
        ]
        for i, row in enumerate(rows)
    ]
    squares = heat(
        [[score.value if score else None for score in row] for row in table],
        texts,
        hovers,
        "sequential",
    )
    return Chart(
        _("%(measure)s on each test set") % {"measure": measure.title},
        _("A dash: nothing was sent for that test set, which counts 0 in the mean."),
        figure(
            [squares],
            height_of(len(rows)) + 40,
            columns_axis([label(title) for title in titles]),
            listed(names(rows)),
        ),
        system_columns(*titles),
        [(row.team, row.system, *texts[i]) for i, row in enumerate(rows)],
        len(board.rows) - len(rows),
    )


def _on(
    board: Board, rows: Sequence[Row], test_set: TestSet, measure: Measure
) -> list[Score | None]:
    """Scores on one test set as the board shows them; None for what was not sent."""
    evaluations = [row.evaluation for row in rows]
    printed = counts_cache.printed_of(evaluations)
    sample = board.sample_of(evaluations, [test_set])
    scored = published(sample, (measure,), board.disclosure)
    return [
        scores[measure.name] if test_set.name in sent.test_sets else None
        for scores, sent in zip(scored, printed, strict=True)
    ]


def correlation_chart(board: Board, submission: str) -> Chart:
    """Pearson's r between measures over the test sets of one system.

    It is the system asked for, else the first one. Raises UnknownChoice for one that
    the board does not show.
    """
    title = _("Correlation between measures")
    if not (board.rows and board.spans_test_sets):
        return _too_few(title)
    system = across(board, submission)
    titles = [measure.title for measure in system.measures]
    cells = [
        [system.exact[a.name][b.name] for b in system.measures] for a in system.measures
    ]
    texts = [row for _measure, row in system.matrix]
    hovers = [
        [
            f"{label(a)} / {label(b)}<br>{text}"
            for b, text in zip(titles, row, strict=True)
        ]
        for a, row in zip(titles, texts, strict=True)
    ]
    labels = [label(text) for text in titles]
    trace = {**heat(cells, texts, hovers, "diverging"), "zmin": -1, "zmax": 1}
    height = height_of(len(titles)) + 80
    return Chart(
        f"{title}: {system.row.system}",
        _("Pearson's r over the test sets; n/a below three of them."),
        figure([trace], height, columns_axis(labels), listed(labels)),
        (ChartColumn(_("Measure"), number=False), *map(ChartColumn, titles)),
        [(name, *row) for name, row in zip(titles, texts, strict=True)],
    )


def variance_chart(board: Board, submission: str) -> Chart:
    """Variance of the test sets of one system, from the best down to each (n - 1)."""
    title = _("Cumulative variance over the test sets")
    if not (board.rows and board.spans_test_sets):
        return _too_few(title)
    system = across(board, submission)
    measure = system.row.sorted_by.measure
    factor = 100 if measure.percent else 1
    spreads = system.spreads
    titles = [label(spread.title) for spread in spreads]
    trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": list(range(len(titles))),
        "y": [
            None if variance is None else variance * factor**2
            for _name, _value, variance in system.spread
        ],
        "customdata": [
            f"{name}<br>{spread.value}, {spread.variance}"
            for name, spread in zip(titles, spreads, strict=True)
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
        "meta": {"part": "line"},
    }
    x = axis(tickmode="array", tickvals=list(range(len(titles))), ticktext=titles)
    return Chart(
        f"{title}: {system.row.system}",
        _("Test sets by %(measure)s, best first; the variance of all down to each.")
        % {"measure": measure.title},
        figure([trace], CURVE_HEIGHT, x, axis(_("Variance"))),
        (
            ChartColumn(_("Test set"), number=False),
            ChartColumn(measure.title),
            ChartColumn(_("Variance")),
        ),
        [(spread.title, spread.value, spread.variance) for spread in spreads],
    )


def _too_few(title: str) -> Chart:
    return Chart(
        title,
        _("This needs %(least)d test sets or more, shown in detail.")
        % {"least": LEAST},
    )
