"""The table of settings, made of deploy/env.example, so that it cannot be behind it."""

import re
from collections.abc import Iterator
from pathlib import Path

MARK = "<!-- settings -->\n"
SECTION = re.compile(r"# --- (.+?) -+$")
SETTING = re.compile(r"#?([A-Z][A-Z0-9_]+)=(.*)$")
# Columns of sizes, not words.
TABULAR = re.compile(r"#.*\S {3,}\S")
HEAD = "| variable | as given there | meaning |\n|---|---|---|\n"


def table(example: Path) -> str:
    """Markdown: a heading for each section, a row for each variable.

    The comment above a variable is its meaning.
    """
    return "".join(_lines(example.read_text(encoding="utf-8")))


def _lines(text: str) -> Iterator[str]:
    words: list[str] = []
    begun = text.index("# --- ")
    for line in text[begun:].splitlines():
        if section := SECTION.match(line):
            words = []
            title = section[1][0].upper() + section[1][1:]
            yield f"\n## {title}\n\n{HEAD}"
        elif setting := SETTING.match(line):
            given = f"`{setting[2]}`" if setting[2] else ""
            yield f"| `{setting[1]}` | {given} | {' '.join(words)} |\n"
            words = []
        elif line.startswith("#") and not TABULAR.match(line):
            words.append(line.removeprefix("#").strip())
