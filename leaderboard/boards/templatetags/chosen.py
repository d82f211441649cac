"""Choices in force on a board, each with the address that leaves it out."""

from collections.abc import Collection

from django import template
from django.http import QueryDict
from django.template import Context
from django.utils.http import urlencode

from leaderboard.boards.board import Board
from leaderboard.boards.choices import Chosen, choices_in_force

register = template.Library()
# Names of one board's measures and test sets say nothing on another.
GOES_WITH = {"board": ("measure", "test_set", "show")}


@register.simple_tag(takes_context=True)
def droppable(
    context: Context, board: Board, apart: Collection[str] = ()
) -> list[tuple[Chosen, str]]:
    """Choices that the reader's address makes; a page may force others by itself."""
    query = context["request"].GET
    return [
        (one, _without(query, one.parameter))
        for one in choices_in_force(board, apart)
        if one.parameter in query
    ]


def _without(query: QueryDict, parameter: str) -> str:
    left = (parameter, "page", *GOES_WITH.get(parameter, ()))
    pairs = ((key, values) for key, values in query.lists() if key not in left)
    return "?" + urlencode(list(pairs), doseq=True)
