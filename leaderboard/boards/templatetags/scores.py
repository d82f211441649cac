"""Numbers as people read them: always the same decimals, so that columns align."""

from django import template

from leaderboard.submissions.status import Score

register = template.Library()

ABSENT = "n/a"
# Decimals of a value and of the ends of its interval
PERCENT, PLAIN = (2, 1), (3, 3)


@register.filter
def value(score: Score) -> str:
    """The score, "82.61" for shares and "0.826" for the rest; "n/a" without one."""
    return _printed(score.value, _decimals(score)[0])


@register.filter
def interval(score: Score) -> str:
    """The interval as "[81.2, 84.0]"; empty without one."""
    if score.low is None or score.high is None:
        return ""
    low, high = (_printed(end, _decimals(score)[1]) for end in (score.low, score.high))
    return f"[{low}, {high}]"


@register.filter
def share(level: float) -> str:
    """The level of intervals, "95%"."""
    return f"{level * 100:g}%"


def _decimals(score: Score) -> tuple[int, int]:
    return PERCENT if score.measure.percent else PLAIN


def _printed(number: float | None, decimals: int) -> str:
    # Adding 0.0 turns minus zero into zero.
    return ABSENT if number is None else f"{round(number, decimals) + 0.0:.{decimals}f}"
