"""The state of a phase in words, and how its files are checked at home."""

import shlex
from collections.abc import Sized
from typing import Any

from django import template
from django.utils.translation import gettext_lazy

register = template.Library()

WORDS = {
    "open": gettext_lazy("Open"),
    "upcoming": gettext_lazy("Opens later"),
    "over": gettext_lazy("Closed"),
}


@register.filter
def in_words(state: str) -> str:
    return str(WORDS[state])


@register.filter
def is_open(state: str) -> bool:
    return state == "open"


@register.filter
def is_upcoming(state: str) -> bool:
    return state == "upcoming"


@register.filter
def is_over(state: str) -> bool:
    return state == "over"


@register.filter
def several(things: Sized) -> bool:
    """More than one: worth a choice between them."""
    return len(things) > 1


@register.simple_tag
def check_command(task: Any, test_set: Any) -> str:
    """The command that checks a file of this test set at home, options included."""
    files = ["--gold", test_set.public_name, "--system", "YOUR_FILE"]
    words = ["python", "-m", "scoring", "check", task.scorer_name, *files]
    for name, values in task.options.items():
        words += [word for v in values for word in ("-o", f"{name}={_option(v)}")]
    return shlex.join(words)


def _option(stored: Any) -> str:
    """An option's value; of a stored file its name."""
    return str(stored["file"]) if isinstance(stored, dict) else str(stored)
