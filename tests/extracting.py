"""The messages that sources mark as translatable, found without xgettext.

A message is (context, singular, plural), "" for what it has not.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[1]
# Starting kits are downloads, and those stay English.
SKIPPED = ROOT / "templates/kits"
# Where the arguments of each function stand: context, singular, plural.
PLACES = {
    "gettext": (None, 0, None),
    "gettext_lazy": (None, 0, None),
    "gettext_noop": (None, 0, None),
    "_": (None, 0, None),
    "Option": (None, 1, None),
    "ngettext": (None, 0, 1),
    "ngettext_lazy": (None, 0, 1),
    "pgettext": (0, 1, None),
    "pgettext_lazy": (0, 1, None),
    "npgettext": (0, 1, 2),
    "npgettext_lazy": (0, 1, 2),
}
STRING = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
CALL = re.compile(
    rf"\b(_|n?p?gettext)\(\s*u?({STRING})(?:,\s*u?({STRING}))?(?:,\s*u?({STRING}))?",
    re.S,
)

Message = tuple[str, str, str]


@cache
def messages() -> frozenset[Message]:
    """Every message of Python sources and templates."""
    found: set[Message] = set()
    for path in sorted((ROOT / "leaderboard").rglob("*.py")):
        found |= set(of_python(path.read_text(encoding="utf-8")))
    for path in sorted((ROOT / "scoring").rglob("*.py")):
        found |= set(of_python(path.read_text(encoding="utf-8")))
    for path in templates():
        found |= set(of_template(path.read_text(encoding="utf-8")))
    return frozenset(found)


def templates() -> list[Path]:
    """Templates of the core, and of each extra."""
    places = [ROOT / "templates", *(ROOT / "leaderboard/extras").glob("*/templates")]
    found = [path for place in places for path in place.rglob("*")]
    return sorted(
        path
        for path in found
        if path.suffix in (".html", ".jinja", ".txt") and SKIPPED not in path.parents
    )


def of_python(source: str) -> Iterator[Message]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        texts = [_text(argument) for argument in node.args]
        if name in PLACES and len(texts) > (PLACES[name][2] or PLACES[name][1]):
            message = _message(name, texts)
            if message[1]:
                yield message


def of_template(source: str) -> Iterator[Message]:
    for match in CALL.finditer(templatize(source)):
        texts = [
            None if text is None else ast.literal_eval(text)
            for text in match.groups()[1:]
        ]
        yield _message(match[1], texts)


def _text(node: ast.expr) -> str | None:
    constant = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if constant else None  # type: ignore[attr-defined]


def _message(name: str, texts: list[str | None]) -> Message:
    context, singular, plural = (
        "" if place is None else texts[place] or "" for place in PLACES[name]
    )
    return context, singular, plural
