"""Numbers as people read them: always the same decimals, so that columns align."""

from django import template

from leaderboard.submissions.scores import Score

register = template.Library()


@register.filter
def value(score: Score) -> str:
    """The score, "82.61" for shares and "0.826" for the rest; "n/a" without one.

    What was rounded has the digits of what it was rounded to.
    """
    return score.printed


@register.filter
def interval(score: Score) -> str:
    """The interval as "[81.2, 84.0]"; empty without one."""
    return score.interval


@register.filter
def share(level: float) -> str:
    """The level of intervals, "95%"."""
    return f"{level * 100:g}%"
