"""Fact sheets and snapshots in templates: cells, fields of filters, addresses."""

from collections.abc import Iterator
from dataclasses import dataclass

from django import template
from django.http import QueryDict
from django.template import Context
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.query import LEAST, MOST
from leaderboard.boards.snapshots import address_of
from leaderboard.boards.templatetags.lines import fact
from leaderboard.tasks.facts import Question
from leaderboard.tasks.models import Snapshot

register = template.Library()


register.filter(fact)


@dataclass(frozen=True)
class FilterField:
    """A field of the filter form; one with `choices` is a list to choose from."""

    name: str
    label: str
    value: str
    kind: str
    choices: tuple[tuple[str, str], ...] = ()

    @property
    def id(self) -> str:
        return self.name.replace(".", "-")


@register.filter
def filter_fields(board: Board) -> list[FilterField]:
    """What rows can be filtered by, filled with what was chosen."""
    chosen = {one.key: one.wanted for one in board.filters}
    return [
        FilterField(f"fact.{key}", label, chosen.get(key, ""), question.kind, choices)
        for question in board.questions
        for key, label, choices in _fields(question)
    ]


def _fields(question: Question) -> Iterator[tuple[str, str, tuple]]:
    name, title = question.name, question.title
    if question.kind == "number":
        yield f"{name}.{LEAST}", _("%s, from") % title, ()
        yield f"{name}.{MOST}", _("%s, to") % title, ()
    elif question.kind == "choice":
        yield name, title, tuple((one, one) for one in question.choices)
    elif question.kind in ("yes_no", "link"):
        yield name, title, (("yes", _("yes")), ("no", _("no")))
    else:
        yield name, _("%s, contains") % title, ()


@register.filter
def carried(query: QueryDict) -> list[tuple[str, str]]:
    """Parameters of an address that the form of filters and columns leaves alone."""
    return [
        (key, value)
        for key, values in query.lists()
        for value in values
        if key not in ("column", "columns", "show", "page")
        and not key.startswith("fact.")
    ]


@register.filter
def address(snapshot: Snapshot) -> str:
    """The page of a snapshot, for good."""
    return address_of(snapshot)


@register.filter
def rows_address(snapshot: Snapshot) -> str:
    return address_of(snapshot, "snapshot-rows")


@register.simple_tag(takes_context=True)
def querystring_without_facts(context: Context) -> str:
    """The address without filters, search and columns; "?" where nothing is left."""
    left = [pair for pair in carried(context["request"].GET) if pair[0] != "q"]
    return "?" + urlencode(left)
