"""Made-up values of comparisons: a forest plot, and the win rates of 12 systems."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from leaderboard.extras.comparison.contest import win_matrix
from leaderboard.results.score_bars import Axis
from tests.components.values import LONG, MEASURES, Component, chart


def forest() -> SimpleNamespace:
    """Four differences: certain, certain the other way, undecided, unknown."""
    axis = Axis(-4.0, 8.0)
    told = (
        ("heron-1", (4.3, 2.9, 5.6), 0.0004, "better"),
        ("pike", (-2.2, -3.1, -1.4), 0.003, "worse"),
        (LONG, (0.4, -1.1, 1.8), 0.61, "not significantly different"),
        ("half", (None, None, None), None, "not compared"),
    )
    lines = []
    for system, ends, chance, words in told:
        value, low, high = ends
        pair = SimpleNamespace(
            second=SimpleNamespace(team="Bens", system=system, submission=system[:9]),
            significant=chance is not None and chance < 0.05,
            difference="n/a" if value is None else f"{value:+.2f}",
            interval="" if value is None else f"[{low:+.1f}, {high:+.1f}]",
            exact=SimpleNamespace(adjusted=chance),
            in_words=words,
        )
        lines.append((pair, axis.bar(ends)))
    return SimpleNamespace(
        reference=SimpleNamespace(system="heron-3"),
        scale=axis.ends,
        zero=axis.at(0.0),
        lines=lines,
    )


def pairs() -> dict[str, Any]:
    """Each system is the surer ahead the farther below the other one stands."""
    rows: Any = [
        SimpleNamespace(team="Bens", system=f"pike-{place}", submission=str(place))
        for place in range(1, 13)
    ]
    places = np.arange(len(rows))
    ahead = np.clip(0.5 + (places - places[:, None]) / 16, 0.0, 1.0)
    differ = np.abs(ahead - 0.5) > 0.4
    np.fill_diagonal(ahead, np.nan)
    return win_matrix(rows, ahead, differ, np.zeros_like(differ))[0]


def components() -> list[Component]:
    board = SimpleNamespace(level=0.95, measure=MEASURES[0])
    shown = {"forest": forest(), "board": board}
    return [
        Component("forest", "comparison/_forest.html", shown),
        chart("pairs", pairs()),
    ]
