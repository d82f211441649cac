"""Markdown of the handbook as HTML: anchors, links between pages, wide tables."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from django.conf import settings
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

from leaderboard.handbook import settings_table

EXAMPLE = Path(settings.BASE_DIR) / "deploy" / "env.example"
PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
# Marks for programs: where a benchmark writes, why a command is not run by a test.
COMMENT = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)
# A box that scrolls must be reached by the keyboard, and regions have names.
WIDE = (
    '<div class="table-region" role="region" aria-label="Table {}" tabindex="0"><table>'
)


@dataclass(frozen=True)
class Heading:
    level: int
    anchor: str
    text: str


@dataclass(frozen=True)
class Text:
    """A page without its frame. `title` is that of the first heading."""

    html: str
    headings: tuple[Heading, ...]

    @property
    def title(self) -> str:
        return self.headings[0].text


def parsed(source: Path) -> list[Token]:
    """The page as tokens, with the table of settings where it has its mark."""
    text = source.read_text(encoding="utf-8")
    if settings_table.MARK in text:
        text = text.replace(settings_table.MARK, settings_table.table(EXAMPLE))
    return PARSER.parse(COMMENT.sub("", text))


def plain(line: Token) -> str:
    """The words of a line without their marks."""
    return "".join(
        child.content for child in line.children or [] if child.type != "image"
    )


def headings(tokens: Sequence[Token]) -> tuple[Heading, ...]:
    """All of them, each with an anchor that no other of the page has."""
    found: list[Heading] = []
    taken: dict[str, int] = {}
    for opening, line in pairwise(tokens):
        if opening.type == "heading_open":
            slug = slugify(plain(line))
            taken[slug] = taken.get(slug, 0) + 1
            anchor = slug if taken[slug] == 1 else f"{slug}-{taken[slug] - 1}"
            found.append(Heading(int(opening.tag[1]), anchor, plain(line)))
    return tuple(found)


def rendered(source: Path, address: Callable[[Path], str]) -> Text:
    """A page; `address` says where a file that it names is found on the site."""
    tokens = parsed(source)
    found = headings(tokens)
    openings = (token for token in tokens if token.type == "heading_open")
    for opening, heading in zip(openings, found, strict=True):
        opening.attrSet("id", heading.anchor)
    for token in tokens:
        # The site allows no style within a page.
        if token.attrs.pop("style", None) == "text-align:right":
            token.attrSet("class", "number")
        for child in token.children or []:
            _lead(child, source.parent, address)
    html = PARSER.renderer.render(tokens, PARSER.options, {})
    return Text(_reachable(html), found)


def _reachable(html: str) -> str:
    begin, *tables = html.split("<table>")
    whole = begin + "".join(
        WIDE.format(number) + table for number, table in enumerate(tables, 1)
    )
    whole = whole.replace("</table>", "</table></div>")
    return whole.replace("<pre>", '<pre tabindex="0">')


def _lead(token: Token, folder: Path, address: Callable[[Path], str]) -> None:
    """A link or picture that names a file leads to where the site has it."""
    name = {"link_open": "href", "image": "src"}.get(token.type)
    said = str(token.attrs[name]) if name else ""
    path, mark, anchor = said.partition("#")
    if name and path and "://" not in path and not path.startswith(("/", "mailto:")):
        token.attrSet(name, address((folder / path).resolve()) + mark + anchor)
