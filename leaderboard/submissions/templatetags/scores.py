"""Numbers as people read them: always the same decimals, so that columns align."""

from collections.abc import Iterable
from typing import Any

from django import template

from leaderboard.submissions.scores import Score, footnotes

register = template.Library()


@register.filter
def value(score: Score) -> str:
    """The score, "82.61" for shares and "0.826" for the rest; "n/a" without one.

    What was rounded has the digits of what it was rounded to.
    """
    return score.printed


@register.filter
def interval(score: Score) -> str:
    """The interval as "[81.2, 84.0]", "[n/a]" beside a score without one."""
    return score.interval


@register.filter
def interval_notes(rows: Iterable[Any]) -> list[str]:
    """What the marks in the intervals of these rows of a board mean."""
    shown = (row.scores for row in rows)
    return footnotes(score.interval for scores in shown for score in scores)
