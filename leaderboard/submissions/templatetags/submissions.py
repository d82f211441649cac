"""Filters of problems: excerpts of files, and messages in the reader's language."""

import re
from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.submissions import dispatch
from leaderboard.submissions.models import Evaluation
from leaderboard.web.engine_texts import in_language, mark_english
from scoring.diagnosis import is_diagnosis
from scoring.errors import wordings_of_row

register = template.Library()
# A field ends at a tab, which an excerpt writes as \t, or at a blank.
PIECE = re.compile(r"\\t|\s|(?:(?!\\t|\s).)+")
ELEMENT = '<code class="excerpt">{}<mark>{}</mark>{}</code>'


@register.filter
def excerpt(problem: Any) -> SafeString:
    """A `Problem`, or its stored table, as an element; empty without an excerpt."""
    text, caret = _field(problem, "excerpt"), _field(problem, "caret")
    if not text:
        return SafeString("")
    if caret is None:
        return format_html('<code class="excerpt">{}</code>', text)
    piece = PIECE.match(text, caret)
    end = piece.end() if piece else caret
    return format_html(ELEMENT, text[:caret], text[caret:end] or "↵", text[end:])


@register.filter
def with_places(
    evaluations: Sequence[Evaluation],
) -> list[tuple[Evaluation, int | None]]:
    """Evaluations in the order in which they begin, each with its place in the queue;
    None for what runs or is background work."""
    orders = (dispatch.line(heavy) for heavy in {row.heavy for row in evaluations})
    places = {pk: place for order in orders for place, pk in enumerate(order, 1)}
    placed = [(row, places.get(row.pk)) for row in evaluations]
    return sorted(placed, key=lambda pair: (pair[0].background, pair[1] or 0))


@register.filter
def diagnoses(problems: Any) -> list[Any]:
    """The problems that say what is wrong with a whole file; the first of any where
    none does."""
    return [problem for problem in problems if is_diagnosis(problem)] or problems[:1]


@register.filter
def places(problems: Any) -> list[Any]:
    """All others, and the first where it has a line to be looked at."""
    told = [
        problem for problem in diagnoses(problems) if _field(problem, "line") is None
    ]
    return [
        problem
        for problem in problems
        if problem not in told and not is_diagnosis(problem)
    ]


@register.filter
def message(problem: Any) -> str:
    """The message of a `Problem`, or of its stored table, in the language of the page,
    or in English and marked so."""
    return _in_language(problem, "message")


@register.filter
def hint(problem: Any) -> str:
    """The hint of a problem, in the same way."""
    return _in_language(problem, "hint")


def _in_language(problem: Any, name: str) -> str:
    text = _field(problem, name)
    if isinstance(problem, dict):
        text = wordings_of_row(problem).get(name, text)
    return mark_english(text, in_language(text))


def _field(problem: Any, name: str) -> Any:
    if isinstance(problem, dict):
        return problem.get(name)
    return getattr(problem, name)
