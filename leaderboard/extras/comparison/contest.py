"""Charts of pairs of systems over the shared resamples: wins, and shares of ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.extension.boards import Board, Row
from leaderboard.extension.charts import (
    Chart,
    ChartKind,
    columns_axis,
    figure,
    heat,
    height_of,
    label,
    share_of,
    system_columns,
    systems_axis,
)
from leaderboard.extension.scores import compared_in_words, figures
from leaderboard.extension.statistics import FEW_DECIDE as MARK
from leaderboard.extension.statistics import (
    MANY_SYSTEMS,
    BoardSample,
    Content,
    stored_or_computed,
    tests_of,
)
from scoring.counts import Flags, Floats
from scoring.measures import Measure
from scoring.statistics.bootstrap import Sample
from scoring.statistics.comparison import all_intervals, numbers_or_none
from scoring.statistics.exchange import FEW_DECIDE
from scoring.statistics.ranks import ranks

# The resamples of a contest are held at once, and thirty systems are drawn of them.
MOST_COMPARED = 100
MOST_DRAWN = 30
SIGNIFICANT = "*"
MOST_NUMBERED = 16
SHORT_NAME = 16
# Below this share of the resamples a rank is not printed.
RARE = 0.005


@dataclass(frozen=True)
class Contest:
    """The ranked rows of a whole board, in its order, n of them.

    `wins` (n, n) is the share of resamples in which the row is better than the column
    (ties count half), nan on the diagonal; `p_values` (n, n) are those of pairs alone,
    `adjusted` (n, n) Holm's over all pairs, and `few` (n, n) says that few units make a
    pair differ; `ranks` (n, n) the share of resamples in which a system has rank i + 1.
    """

    rows: tuple[Row, ...]
    wins: Floats
    p_values: Floats
    adjusted: Floats
    few: Flags
    ranks: Floats


def contest(board: Board) -> Contest | None:
    """All ranked systems of a board against each other; None for fewer than two ranked
    systems that sent all test sets, for more than can be compared, and where the board
    does not show comparisons.

    `board` is a whole one: ranks among what a filter leaves would be other ranks.
    """
    if len(board.rows) > MANY_SYSTEMS:  # the tests of single pairs are not kept
        return None
    of_all = board.rows.summary
    if of_all.ranked > MOST_COMPARED and not (
        of_all.untested or of_all.some_incomplete
    ):
        return None
    rows = tuple(row for row in board.rows if row.may_rank and row.complete)
    if not board.disclosure.details or not 1 < len(rows) <= MOST_COMPARED:
        return None
    sample = board.sample_of([row.evaluation for row in rows])
    group = sample.compared_by(board.measure)
    subject = sample.subject("contest", [board.measure], group)
    shares = stored_or_computed(
        subject, lambda: (_wins_and_ranks(sample, board.measure), {})
    )
    return Contest(rows, shares["wins"], *_tests(board, rows), shares["ranks"])


def _tests(board: Board, rows: Sequence[Row]) -> tuple[Floats, Floats, Flags]:
    """p-values, Holm's as the lines of this board have them, and which differences
    rest on few units."""
    ranked = [row.evaluation for row in board.rows if row.may_rank]
    tests = tests_of(board.sample_of(ranked), board.measure)
    chosen = [tests.submissions[row.submission] for row in rows]
    size = len(ranked)
    first, second = np.triu_indices(size, 1)
    squares = np.full((3, size, size), np.nan)
    squares[:, first, second] = (
        tests.pairs.p_value,
        tests.adjusted_p,
        tests.pairs.effective,
    )
    squares[:, second, first] = squares[:, first, second]
    p_values, adjusted, effective = (
        square[np.ix_(chosen, chosen)] for square in squares
    )
    return p_values, adjusted, effective < FEW_DECIDE


def _wins_and_ranks(sample: BoardSample, measure: Measure) -> Content:
    (resamples,) = sample.resamples([measure], sample.compared_by(measure))
    better = measure.higher_is_better
    return {
        "wins": win_shares(resamples, better),
        "ranks": rank_shares(resamples, better),
    }


def win_shares(sample: Sample, higher_is_better: bool) -> Floats:
    size = len(sample.values)
    first, second = np.triu_indices(size, 1)
    wins = np.full((size, size), np.nan)
    share = all_intervals(sample, higher_is_better, 0.95)[2]
    wins[first, second], wins[second, first] = share, 1 - share
    return wins


def rank_shares(sample: Sample, higher_is_better: bool) -> Floats:
    """Each row adds up to 1: shared ranks count for the best of those shared."""
    size, resamples = sample.resampled.shape
    placed = ranks(sample.resampled.T, higher_is_better)
    counted = np.zeros((size, size))
    for system in range(size):
        counted[system] = np.bincount(placed[:, system] - 1, minlength=size)
    return counted / resamples


def win_chart(board: Board, whole: Board) -> Chart:
    """P(row is better than column), with a star where Holm's test tells them apart."""
    title = _("Pairwise win rates: %(measure)s") % {"measure": board.measure.title}
    ranking = contest(whole)
    if ranking is None:
        return _too_few(whole, title)
    chosen = _places_on_board(ranking, board)
    rows = [ranking.rows[i] for i in chosen]
    alpha = round(1 - board.level, 9)
    among = np.ix_(chosen, chosen)
    matrix, texts = win_matrix(
        rows,
        ranking.wins[among],
        ranking.adjusted[among] < alpha,
        ranking.few[among],
    )
    note = _(
        "How often the row system beats the column system across bootstrap resamples; "
        "ties count half. A star: they differ significantly at %(alpha)s (Holm over "
        "all ranked systems); ‡: fewer than 20 units carry this difference."
    ) % {"alpha": figures(f"{alpha:g}")}
    compared = compared_in_words(whole.compared_by)
    return Chart(
        title,
        f"{note} {compared}".strip(),
        matrix,
        system_columns(*[row.system for row in rows]),
        [(row.team, row.system, *texts[i]) for i, row in enumerate(rows)],
        sum(row.may_rank for row in board.rows) - len(rows),
    )


def win_matrix(
    rows: Sequence[Row], wins: Floats, differ: Flags, few: Flags
) -> tuple[dict[str, Any], list[list[str]]]:
    """The figure of shares of wins (n, n), of systems that `differ` with a star, by
    `few` units with their mark, and its numbers as they are printed."""
    marks = np.where(differ, np.where(few, SIGNIFICANT + MARK, SIGNIFICANT), "")
    texts = [
        [_win(share, mark) for share, mark in zip(*line, strict=True)]
        for line in zip(wins.tolist(), marks.tolist(), strict=True)
    ]
    systems = [row.system for row in rows]
    squares = heat(
        [numbers_or_none(line) for line in wins],
        [[_mark(text, len(rows)) for text in line] for line in texts],
        (systems, systems),
        ("{line} / {column}<br>{text}", texts),
        "diverging",
    )
    across = columns_axis([label(system, SHORT_NAME) for system in systems])
    height = height_of(len(rows)) + 60
    return figure([squares], height, across, systems_axis(rows)), texts


def _mark(text: str, systems: int) -> str:
    """The text of a square, none of the diagonal; of many systems only its marks, for
    want of room."""
    if text == "–":
        return ""
    return label(text if systems <= MOST_NUMBERED else text.lstrip("0123456789.<>"))


def rank_chart(board: Board, whole: Board) -> Chart:
    """The share of the resamples in which each system takes each rank."""
    title = _("How sure the ranks are: %(measure)s") % {"measure": board.measure.title}
    ranking = contest(whole)
    if ranking is None:
        return _too_few(whole, title)
    chosen = _places_on_board(ranking, board)
    rows = [ranking.rows[i] for i in chosen]
    shares = ranking.ranks[chosen]
    printed = np.flatnonzero((shares >= RARE).any(axis=0))
    shares = shares[:, : int(printed[-1]) + 1 if len(printed) else 1]
    texts = [[figures(f"{s:.2f}") if s >= RARE else "" for s in row] for row in shares]
    numbers = [str(place + 1) for place in range(shares.shape[1])]
    table = [[text or "0" for text in line] for line in texts]
    systems = [row.system for row in rows]
    squares = heat(
        [[share or None for share in row] for row in shares.tolist()],
        texts,
        (systems, numbers),
        ("{line}<br>{column}: {text}", table),
        "sequential",
    )
    squares["meta"]["shares"] = True
    note = _(
        "Share of bootstrap resamples in which each system takes each rank. The "
        "range is the %(share)s confidence range of the rank by the tests of pairs, "
        "for all systems at once."
    )
    height = height_of(len(rows)) + 20
    return Chart(
        title,
        note % share_of(board),
        figure([squares], height, columns_axis(numbers), systems_axis(rows)),
        system_columns(_("Range"), *numbers),
        [
            (row.team, row.system, row.rank_range, *line)
            for row, line in zip(rows, table, strict=True)
        ],
        sum(row.may_rank for row in board.rows) - len(rows),
    )


def _too_few(board: Board, title: str) -> Chart:
    if not board.disclosure.details:
        return Chart(title, _("Comparisons are not shown in this phase now."))
    return Chart(
        title, _("This needs 2 to 100 ranked systems that sent every test set.")
    )


def _places_on_board(ranking: Contest, board: Board) -> list[int]:
    """Places in the contest of the rows that the reader's board shows."""
    visible = {row.submission for row in board.rows}
    places = [i for i, row in enumerate(ranking.rows) if row.submission in visible]
    return places[:MOST_DRAWN]


def _win(share: float, mark: str) -> str:
    if share != share:
        return "–"
    # Nothing that is only nearly certain prints as certain.
    text = f"{share:.2f}"
    if text == "1.00" and share < 1:
        text = ">0.99"
    elif text == "0.00" and share > 0:
        text = "<0.01"
    return f"{figures(text)}{mark}"


def _details(board: Board) -> bool:
    return board.disclosure.details


KINDS = (
    ChartKind(
        "pairs",
        gettext_lazy("Pairwise win rates"),
        lambda request: win_chart(request.board, request.whole()),
        _details,
        position=60,
    ),
    ChartKind(
        "ranks",
        gettext_lazy("Ranks"),
        lambda request: rank_chart(request.board, request.whole()),
        _details,
        position=61,
    ),
)
