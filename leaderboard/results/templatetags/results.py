"""Filters of scores."""

from django import template

from leaderboard.results.score_bars import measure_table
from leaderboard.results.scores import Score, chance

register = template.Library()
register.filter(measure_table)
register.filter(chance)


@register.filter
def value(score: Score) -> str:
    """The score, "82.61" for shares and "0.826" for the rest; "n/a" without one."""
    return score.printed


@register.filter
def interval(score: Score) -> str:
    """The interval as "[81.2, 84.0]", "[n/a]" beside a score without one."""
    return score.interval
