"""Charts of scores against a fact of systems: a number of their sheet, or the day."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.extension.boards import Board, Row, chosen
from leaderboard.extension.charts import (
    Chart,
    axis,
    axis_of,
    figure,
    hover,
    label,
    off_scale,
    on_scale,
    points,
    share_of,
    system_columns,
    with_scores,
)
from leaderboard.extension.models import Answer, AnyQuestion
from leaderboard.extras.diagnostics.scores import (
    MOST_ENTRIES,
    MOST_NAMED,
    PLANE_HEIGHT,
    best_so_far,
    line_of_best,
    timeline,
)

DATE = "date"
WIDE_RANGE = 20  # times the least, from which on an axis counts in powers of ten


def numeric(board: Board) -> list[AnyQuestion]:
    """Questions with numbers for answers that rows of the board have given."""
    return [
        question
        for question in board.questions
        if question.kind == "number"
        and any(question.number_in(row.facts) is not None for row in board.rows)
    ]


def fact_chart(board: Board, name: str) -> Chart:
    """The measure of the board against the fact that is asked for, by default the first
    number of the fact sheet. Raises UnknownChoice for another one."""
    questions = numeric(board)
    if name == DATE:
        return timeline(board)
    question = chosen(questions, name, next(iter(questions), None))
    title = _("%(measure)s against facts") % {"measure": board.measure.title}
    if question is None:
        return Chart(title, _("No system has told such a number."))
    return _against(board, question)


def _against(board: Board, question: AnyQuestion) -> Chart:
    measure = board.measure
    scores_known = with_scores(board.rows, measure)
    pairs = [(row, question.number_in(row.facts)) for row in scores_known]
    numbered = [(row, number) for row, number in pairs if number is not None]
    rows = [row for row, _number in numbered][:MOST_ENTRIES]
    numbers = [number for _row, number in numbered][:MOST_ENTRIES]
    scores = [row.by_measure[measure.name] for row in rows]
    placed, ends = on_scale(axis_of(board), scores, ("down", "up"))
    answers = [Answer(question, row.facts[question.name]).text for row in rows]
    trace = points(
        rows,
        [
            f"{hover(row, score)}<br>{label(question.heading)}: {label(text)}"
            for row, score, text in zip(rows, scores, answers, strict=True)
        ],
        rows[:MOST_NAMED],
        placed["beyond"],
        x=numbers,
        y=placed["values"],
        error_y=placed["bars"],
    )
    wide = min(numbers) > 0 and max(numbers) >= WIDE_RANGE * min(numbers)
    kind = {"type": "log"} if wide else {}
    return Chart(
        _("%(up)s vs. %(across)s") % {"up": measure.title, "across": question.heading},
        _(
            "Each point is a system with its %(share)s interval; the line is the best "
            "score of those up to that number. Systems that did not tell it are left "
            "out."
        )
        % share_of(board)
        + off_scale(placed["beyond"]),
        figure(
            [_frontier(board, rows, numbers), trace],
            PLANE_HEIGHT,
            axis(question.heading, **kind),
            axis(measure.title, **ends),
        ),
        system_columns(question.heading, measure.title),
        [
            (row.team, row.system, text, f"{score.printed} {score.interval}")
            for row, text, score in zip(rows, answers, scores, strict=True)
        ],
        len(scores_known) - len(rows),
    )


def _frontier(
    board: Board, rows: Sequence[Row], numbers: Sequence[float]
) -> dict[str, Any]:
    """A trace of the best score of ranked systems up to each number."""
    measure = board.measure
    # Rows come best first, and of equal numbers the best makes the line.
    pairs = sorted(zip(rows, numbers, strict=True), key=lambda pair: pair[1])
    best = best_so_far([row for row, _number in pairs], measure)
    return line_of_best([number for _row, number in pairs], best)
