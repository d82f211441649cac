"""Units that are resampled, and shares, in the reader's language."""

from django import template
from django.utils.translation import pgettext_lazy

register = template.Library()

WORDS = {
    "sentence": pgettext_lazy("unit", "sentence"),
    "document": pgettext_lazy("unit", "document"),
    "instance": pgettext_lazy("unit", "instance"),
    "lexelt": pgettext_lazy("unit", "lexelt"),
}


@register.filter
def unit_word(name: str) -> str:
    """The unit of a scorer; one that we have no word for by its name."""
    return str(WORDS.get(name, name))


@register.filter
def share(level: float) -> str:
    """The level of intervals, "95%"."""
    return f"{level * 100:g}%"
