"""Days to look back to, in the zone of the phase."""

from django import template
from django.utils import timezone

from leaderboard.boards.board import Board

register = template.Library()


@register.filter
def day_asked(board: Board) -> str:
    """As a date field takes it; empty for today's board."""
    return (
        "" if board.at is None else f"{board.at.astimezone(board.phase.zone):%Y-%m-%d}"
    )


@register.filter
def first_day(board: Board) -> str:
    return f"{board.phase.opens.astimezone(board.phase.zone):%Y-%m-%d}"


@register.filter
def last_day(board: Board) -> str:
    return f"{timezone.now().astimezone(board.phase.zone):%Y-%m-%d}"
