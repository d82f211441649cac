"""Texts of the engine, such as problems and formulas, in the reader's language.

The engine speaks English and knows nothing of languages: its problems carry the
templates of their sentences with the values (`scoring.messages`). Translations of the
templates are in the catalogues; plain text, as in old rows and of plug-ins, stays as
it is.
"""

from collections.abc import Iterable

from django.utils.html import format_html
from django.utils.translation import get_language, gettext

from scoring.messages import Wording


def in_language(text: str) -> str:
    """A message or hint in the language in force; itself where it has none."""
    if not isinstance(text, Wording):
        return text
    template = gettext(text.template) if text.template else ""
    if not text.values:
        return template
    values = {
        name: in_language(value) if isinstance(value, Wording) else value
        for name, value in text.values.items()
    }
    return template % values


def engine_text(text: str | Iterable[str]) -> str | list[str]:
    """A scorer's own text, as its title, the formula of a measure or names of formats,
    in the language in force; texts of plug-ins stay as they are."""
    if not isinstance(text, str):
        return [str(engine_text(one)) for one in text]
    return in_language(text if isinstance(text, Wording) else Wording(text))


def mark_english(text: str, translated: str) -> str:
    """The translation, or an element that says that the text stayed English."""
    if translated == text and not (get_language() or "en").startswith("en"):
        return format_html('<span lang="en">{}</span>', text)
    return translated
