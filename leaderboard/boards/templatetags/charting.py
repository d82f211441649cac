"""Which charts a board links to."""

from django import template

from leaderboard.boards.charts.kinds import Kind, kinds_of
from leaderboard.boards.rows import Board

register = template.Library()


@register.filter
def chart_kinds(board: Board) -> list[Kind]:
    return kinds_of(board)
