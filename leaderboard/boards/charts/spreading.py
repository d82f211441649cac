"""Charts over several test sets: of all systems, and of one closely (seed 003)."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from leaderboard.boards.charts.drawing import (
    MOST_ROWS,
    Chart,
    Column,
    axis,
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
from leaderboard.boards.test_set_correlation import Across, across, enough_test_sets
from leaderboard.submissions import publishing, stored
from leaderboard.submissions.scores import Score
from leaderboard.tasks.models import TestSet
from scoring.measures import Measure
from scoring.testsets import LEAST

CURVE_HEIGHT = 420
ABSENT = "–"


def testing(board: Board) -> Chart:
    """Systems by test sets: what the board says of each on each."""
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
    drawn = heat(
        [[score.value if score else None for score in row] for row in table],
        texts,
        hovers,
        "sequential",
    )
    return Chart(
        _("%(measure)s on each test set") % {"measure": measure.title},
        _("A dash: nothing was sent for that test set, which counts 0 in the mean."),
        figure(
            [drawn],
            height_of(len(rows)) + 40,
            columns_axis([label(title) for title in titles]),
            listed(names(rows)),
        ),
        (Column(_("Team"), False), Column(_("System"), False), *map(Column, titles)),
        [(row.team, row.system, *texts[i]) for i, row in enumerate(rows)],
        len(board.rows) - len(rows),
    )


def _on(
    board: Board, rows: Sequence[Row], test_set: TestSet, measure: Measure
) -> list[Score | None]:
    """Scores on one test set as the board shows them; None for what was not sent."""
    evaluations = [row.evaluation for row in rows]
    printed = stored.printed_of(evaluations)
    field = board.field_of(evaluations, [test_set])
    found = publishing.published(field, (measure,), board.shown)
    return [
        scores[measure.name] if test_set.name in sent.test_sets else None
        for scores, sent in zip(found, printed, strict=True)
    ]


def chosen_across(board: Board, submission: str) -> Across | None:
    """The system asked for, else the first; None where such details are not shown.

    Raises UnknownChoice for one that the board does not show.
    """
    if not (board.rows and enough_test_sets(board)):
        return None
    return across(board, submission)


def correlating(found: Across | None) -> Chart:
    """Pearson's r between measures over the test sets of one system."""
    title = _("Correlation between measures")
    if found is None:
        return _too_few(title)
    titles = [measure.title for measure in found.measures]
    cells = [
        [found.exact[a.name][b.name] for b in found.measures] for a in found.measures
    ]
    texts = [[one for one in row] for _measure, row in found.matrix]
    hovers = [
        [
            f"{label(a)} / {label(b)}<br>{text}"
            for b, text in zip(titles, row, strict=True)
        ]
        for a, row in zip(titles, texts, strict=True)
    ]
    labels = [label(one) for one in titles]
    trace = {**heat(cells, texts, hovers, "diverging"), "zmin": -1, "zmax": 1}
    return Chart(
        f"{title}: {found.row.system}",
        _("Pearson's r over the test sets; n/a below three of them."),
        figure(
            [trace], height_of(len(titles)) + 80, columns_axis(labels), listed(labels)
        ),
        (Column(_("Measure"), False), *map(Column, titles)),
        [(name, *row) for name, row in zip(titles, texts, strict=True)],
    )


def varying(found: Across | None) -> Chart:
    """Variance of the test sets from the best down to each (n - 1)."""
    title = _("Cumulative variance over the test sets")
    if found is None:
        return _too_few(title)
    measure = found.row.sorted_by.measure
    factor = 100 if measure.percent else 1
    titles = [label(one.title) for one in found.spreads]
    variance = [
        None if size is None else size * factor**2
        for _name, _value, size in found.spread
    ]
    hovers = [
        f"{name}<br>{one.value}, {one.variance}"
        for name, one in zip(titles, found.spreads, strict=True)
    ]
    trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": list(range(len(titles))),
        "y": variance,
        "customdata": hovers,
        "hovertemplate": "%{customdata}<extra></extra>",
        "meta": {"part": "line"},
    }
    x = axis(tickmode="array", tickvals=list(range(len(titles))), ticktext=titles)
    return Chart(
        f"{title}: {found.row.system}",
        _("Test sets by %(measure)s, best first; the variance of all down to each.")
        % {"measure": measure.title},
        figure([trace], CURVE_HEIGHT, x, axis(_("Variance"))),
        (Column(_("Test set"), False), Column(measure.title), Column(_("Variance"))),
        [(one.title, one.value, one.variance) for one in found.spreads],
    )


def _too_few(title: str) -> Chart:
    return Chart(
        title,
        _("This needs %(least)d test sets or more, shown in detail.")
        % {"least": LEAST},
    )
