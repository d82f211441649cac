"""Faults that the JSON parser finds, in words of ours that can be translated."""

from functools import lru_cache
from json import JSONDecodeError

from scoring.messages import Messages, _

MESSAGES = Messages(
    value=_("expected a text in double quotes, a number, a list or an object"),
    comma=_("expected a comma, or the end of the list or object"),
    colon=_("expected a colon between a name and its value"),
    name=_("expected a name in double quotes"),
    trailing=_("a comma before the end of the list or object"),
    open=_("a text that begins here lacks its closing double quote"),
    control=_("a tab, line end or other control character in a text; write \\t or \\n"),
    escape=_("a backslash that begins no escape; write two for one"),
    more=_("more text after the end of the value"),
)
# Beginnings of what the parser of Python says, in all versions.
SAID = {
    "Expecting value": "value",
    "Expecting ',' delimiter": "comma",
    "Expecting ':' delimiter": "colon",
    "Expecting property name": "name",
    "Illegal trailing comma": "trailing",
    "Unterminated string": "open",
    "Invalid control character": "control",
    "Invalid \\": "escape",
    "Extra data": "more",
}


def json_error(error: JSONDecodeError) -> str:
    """The parser's message without its place, which a problem has members for."""
    return _in_our_words(error.msg)


@lru_cache
def _in_our_words(message: str) -> str:
    for said, name in SAID.items():
        if message.startswith(said):
            return MESSAGES(name)
    return message
