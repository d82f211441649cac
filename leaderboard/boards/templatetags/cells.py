"""Cells of a board's table as HTML: numbers, intervals and bars.

A page has a thousand of them. The template engine takes 50 ms for that, these
functions 2; all they print are numbers that were formatted here, so nothing needs
escaping.
"""

from django.utils.safestring import SafeString

from leaderboard.boards.templatetags.bars import Bar
from leaderboard.submissions.scores import Score

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


def number_cell(score: Score) -> SafeString:
    return SafeString(NUMBER.format(score.printed, _interval(score)))


def ranking_cell(score: Score, bar: Bar | None) -> SafeString:
    """The measure that ranks, its interval drawn beside it."""
    drawn = BAR.format(_marks(bar)) if bar else ""
    return SafeString(RANKS.format(score.printed, _interval(score), drawn))


def _interval(score: Score) -> str:
    found = score.interval
    return INTERVAL.format(found) if found else ""


def _marks(bar: Bar) -> str:
    if bar.below:
        return BEYOND.format("0", "7-5v10z")
    if bar.above:
        return BEYOND.format("100%", "-7-5v10z")
    return INSIDE.format(bar.start, bar.width, bar.point)
