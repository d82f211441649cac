"""Tables of messages: what problems say, with places for their values.

A module that raises problems has a table `MESSAGES` of English templates. A template
with its values is a `Wording`: English text that remembers both, so that a site can say
it in another language. `_` marks templates for the catalogues of translations.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Union

Value = Union[str, int, "Wording"]
# What a row may hold: nobody believes what a sandbox sends, which has read a stranger's
# file, and nothing else is put into a text than words.
LONGEST = 1000
PLACES = re.compile(r"%\(\w+\)s|%%")


def _(template: str) -> str:
    """The template itself, which tools for translation find by this call."""
    return template


class Wording(str):
    """The English text of a template whose places, as in `%(name)s`, have values.

    A value that is a wording itself is translated with it.
    """

    template: str
    values: dict[str, Value]

    def __new__(cls, template: str, values: Mapping[str, Any] = {}) -> "Wording":
        plain: dict[str, Value] = {
            name: value if type(value) in (str, int, cls) else str(value)
            for name, value in values.items()
        }
        self = super().__new__(cls, template % plain if plain else template)
        self.template, self.values = template, plain
        return self

    def __getnewargs__(self) -> tuple[str, dict[str, Value]]:  # type: ignore[override]
        """The arguments that a copy is made of, also by `pickle`."""
        return self.template, self.values

    def as_row(self) -> list[Any]:
        """Template and values for JSON, from which `wording_of` makes this again."""
        values = {
            name: value.as_row() if isinstance(value, Wording) else value
            for name, value in self.values.items()
        }
        return [self.template, values]


def wording_of(row: Any, depth: int = 4) -> Wording:
    """The wording of such a row. Raises ValueError for a row that is none."""
    if not isinstance(row, list) or len(row) != 2 or not depth:
        raise ValueError("no row of a wording")
    template, given = row
    if not isinstance(given, dict) or not _is_short(template):
        raise ValueError("no template with values")
    if given and "%" in PLACES.sub("", template):
        raise ValueError("a place that is none")
    values = {
        str(name): wording_of(value, depth - 1) if isinstance(value, list) else value
        for name, value in given.items()
    }
    if not all(type(value) is int or _is_short(value) for value in values.values()):
        raise ValueError("a value that is none")
    try:
        return Wording(template, values)
    except KeyError as error:
        raise ValueError(f"no value {error}") from None


def _is_short(text: Any) -> bool:
    return isinstance(text, str) and len(text) <= LONGEST


class Messages(dict[str, str]):
    """A table of templates by name: `MESSAGES("columns", count=3)` is a `Wording`."""

    every: ClassVar[list["Messages"]] = []

    def __init__(self, table: Mapping[str, str] = {}, /, **more: str) -> None:
        super().__init__(table, **more)
        self.every.append(self)

    def __call__(self, name: str, /, **values: Any) -> str:
        return Wording(self[name], values)


def templates() -> frozenset[str]:
    """The templates of all tables of the modules that were loaded."""
    tables = (table.values() for table in Messages.every)
    return frozenset(template for table in tables for template in table)
