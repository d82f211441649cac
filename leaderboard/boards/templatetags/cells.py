"""Cells of a board's table as HTML: numbers, intervals and bars.

A page has a thousand of them. The template engine takes 50 ms for that, these
functions 2; all they print are numbers that were formatted here, so nothing needs
escaping. What is made anew when somebody submits has the same numbers in nearly all of
its cells, so cells are kept.
"""

from functools import lru_cache

from django.utils.safestring import SafeString

from leaderboard.boards.templatetags.bars import Bar
from leaderboard.submissions.scores import Score, Shown, bracketed, printed

CELLS_KEPT = 20_000  # half a kilobyte each; a page of two thousand rows
NUMBER = '<td class="number"><span class="value">{}</span>{}</td>'
RANKS = (
    '<td class="number ranks"><div class="estimate"><div><span class="value">{}</span>'
    "{}</div>{}</div></td>"
)
INTERVAL = '<span class="interval">{}</span>'
BAR = (
    '<svg class="bar" aria-hidden="true" focusable="false">'
    '<rect class="bar-track" x="0" y="50%" width="100%" height="1"/>{}</svg>'
)
INSIDE = (
    '<rect class="bar-range" x="{}" y="25%" width="{}" height="50%" rx="2"/>'
    '<svg class="bar-mark" x="{}" y="0">'
    '<rect class="bar-point" x="-1.5" y="10%" width="3" height="80%" rx="1.5"/></svg>'
)
BEYOND = (
    '<svg class="bar-mark" x="{}" y="50%"><path class="bar-point" d="M0 0l{}"/></svg>'
)


def number_cell(score: Score | Shown) -> SafeString:
    ends = (score.value, score.low, score.high)
    return _number(*ends, score.few, score.decimals)


@lru_cache(maxsize=CELLS_KEPT)
def _number(
    value: float | None,
    low: float | None,
    high: float | None,
    few: bool | None,
    decimals: tuple[int, int],
) -> SafeString:
    found = bracketed(value, low, high, decimals[1], few)
    return SafeString(NUMBER.format(printed(value, decimals[0]), _interval(found)))


def ranking_cell(score: Score, bar: Bar | None) -> SafeString:
    """The measure that ranks, its interval drawn beside it."""
    drawn = BAR.format(_marks(bar)) if bar else ""
    return SafeString(RANKS.format(score.printed, _interval(score.interval), drawn))


def _interval(found: str) -> str:
    return INTERVAL.format(found) if found else ""


def _marks(bar: Bar) -> str:
    if bar.below:
        return BEYOND.format("0", "7-5v10z")
    if bar.above:
        return BEYOND.format("100%", "-7-5v10z")
    return INSIDE.format(bar.start, bar.width, bar.point)
