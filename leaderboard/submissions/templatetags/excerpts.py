"""The offending text of a participant's own file, with its place marked."""

import re
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

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


def _field(problem: Any, name: str) -> Any:
    if isinstance(problem, dict):
        return problem.get(name)
    return getattr(problem, name)
