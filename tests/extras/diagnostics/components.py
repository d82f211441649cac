"""Charts of made-up scores: two measures, and slices."""

from leaderboard.extras.diagnostics.scores import plane
from leaderboard.extras.diagnostics.slices import dot_plot
from tests.components.values import MEASURES, Component, board, chart


def components() -> list[Component]:
    rows = board().rows[:3]
    three = [row.by_measure["las"] for row in rows]
    slices = dot_plot(
        MEASURES[0], rows, ["letter", "tale"], [[score, score] for score in three]
    )
    return [
        chart("plane", plane(board(), MEASURES[1]).figure),
        chart("slices", slices),
    ]
