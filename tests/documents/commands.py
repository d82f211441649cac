"""The commands of the handbook, with why one is not run where it is not."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from leaderboard.handbook.pages import ROOT, pages

PARSER = MarkdownIt("commonmark")
MARK = re.compile(r"<!-- not run: (.+?) -->", re.DOTALL)
LANGUAGES = {"sh", "console", "python"}
# What a block without a language may begin with, if somebody is to type it.
PROGRAMS = re.compile(
    r"(?:\.venv/bin/\w+|python3?|manage\.py|plumbline|curl|make|apt|cd|cp|cat|install|"
    r"runuser|useradd|systemctl|docker|chmod|pip|git|psql|redis-cli|sh|export)\b"
)
# Tried by the tests of the files themselves.
ELSEWHERE = {ROOT / "CONTRIBUTING.md"}


@dataclass(frozen=True)
class Block:
    """`reason` is why it cannot run here; empty if it can."""

    page: str
    line: int
    language: str
    text: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks() -> list[Block]:
    """Every block of commands in reading order."""
    found = (page.source for page in pages() if page.source not in ELSEWHERE)
    return [block for source in found for block in _of(source)]


def _of(source: Path) -> Iterator[Block]:
    name, reason = source.relative_to(ROOT).as_posix(), ""
    for token in PARSER.parse(source.read_text("utf-8")):
        if token.type == "html_block":
            said = MARK.search(token.content)
            reason = said[1] if said else ""
        elif language := _language(token):
            line = (token.map or [0])[0] + 1
            yield Block(name, line, language, token.content, reason)
            reason = ""
        elif token.type == "inline":
            reason = ""


def _language(token: Token) -> str:
    """Empty for what is no block of commands."""
    if token.type == "fence" and token.info in LANGUAGES:
        return token.info
    typed = token.type in ("fence", "code_block") and not token.info
    return "sh" if typed and PROGRAMS.match(token.content) else ""
