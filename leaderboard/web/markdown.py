"""Organizers' Markdown as safe HTML, in time and memory that its length bounds."""

import re
from functools import cache, lru_cache

import nh3
from django.core.exceptions import ValidationError
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_inline import StateInline

from leaderboard.web.templatetags.formats import grouped

# Characters of one text: those of short lines take longest, 10 µs each.
LONGEST = 40_000
# Brackets within brackets. Behind each that opens, so many more are looked at, to find
# out whether it opens a link.
MOST_BRACKETS = 4
# Cells of all tables of one text. A row of two characters stands for as many cells as
# the heading has, so a short text could fill gigabytes.
MOST_CELLS = 5_000
# Texts whose HTML a process keeps. To keep it in the database from saving on would save
# no more: a description of 3,000 characters takes 8 ms in a process that has not shown
# it, and no page another time.
KEPT = 32
# A heading cell that says nothing, as above the names of rows, is no heading.
NO_HEADING = re.compile(r"<th([^>]*)></th>")
TEXT = {"p", "strong", "em", "code", "pre", "blockquote", "a", "br", "hr"}
HEADINGS = {"h2", "h3", "h4", "h5", "h6"}
LISTS = {"ul", "ol", "li"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td"}
TAGS = TEXT | HEADINGS | LISTS | TABLES


def check_markdown(text: str) -> None:
    """Raises ValidationError where a text is too long, or its tables too large."""
    if len(text) > LONGEST:
        raise ValidationError(
            _(
                "This has %(length)s characters; at most %(most)s are shown as a page. "
                "Shorten it, or link to the rest."
            )
            % {"length": grouped(len(text)), "most": grouped(LONGEST)}
        )
    if too_many_cells(text):
        raise ValidationError(
            _(
                "Its tables have more than %(most)s cells, empty ones included. Link "
                "to the data as a file."
            )
            % {"most": grouped(MOST_CELLS)}
        )


def too_many_cells(text: str) -> bool:
    read: dict[str, int] = {}
    _blocks().parse(text, read)
    return read.get("cells", 0) > MOST_CELLS


@cache
def parser(*, html: bool = False) -> MarkdownIt:
    """CommonMark with tables; those beyond `MOST_CELLS` stay the text that they are,
    and so do links that hold more than `MOST_BRACKETS`."""
    markdown = MarkdownIt()
    markdown.inline = _Inline()
    markdown.configure("commonmark", {"html": html}).enable("table")
    markdown.block.ruler.at("table", _small_table, {"alt": ["paragraph", "reference"]})
    return markdown


@cache
def _blocks() -> MarkdownIt:
    """Blocks alone, without what stands inside them."""
    markdown = MarkdownIt("commonmark").enable("table").disable("inline")
    markdown.block.ruler.at("table", _small_table, {"alt": ["paragraph", "reference"]})
    return markdown


class _Inline(ParserInline):
    def skipToken(self, state: StateInline) -> None:
        """The parser's own step, with a nesting of fewer levels than blocks have."""
        if state.level > MOST_BRACKETS and state.pos not in state.cache:
            state.cache[state.pos] = state.posMax
            state.pos = state.posMax
        else:
            super().skipToken(state)


def _small_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    before = state.env.get("cells", 0)
    if before > MOST_CELLS or not table(state, start, end, True):
        return False
    cells = before + _cells(state, start, end)
    if cells > MOST_CELLS or not silent:
        state.env["cells"] = cells
    return cells <= MOST_CELLS and (silent or table(state, start, end, False))


def _cells(state: StateBlock, start: int, end: int) -> int:
    """The columns that its second line has, times all others until an empty one."""
    after = next((n for n in range(start, end) if state.isEmpty(n)), end)
    ruled = state.src[state.bMarks[start + 1] : state.eMarks[start + 1]]
    columns = ruled.strip(" \t>|").count("|") + 1
    return columns * (after - start - 1)


@lru_cache(KEPT)
def render_markdown(text: str) -> SafeString:
    """HTML with only the tags listed here; headings start at the second level.

    A text that was stored before its length was bounded is shown as it was written.
    """
    if len(text) > LONGEST:
        return format_html("<pre tabindex='0'>{}</pre>", text)
    html = parser().render(text).replace("<h1>", "<h2>").replace("</h1>", "</h2>")
    clean = nh3.clean(
        html,
        tags=TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow ugc noopener",
    )
    clean = without_empty_headings(clean)
    # Wider than a phone they scroll, by keyboard too.
    for tag in ("table", "pre"):
        clean = clean.replace(f"<{tag}>", f'<{tag} tabindex="0">')
    return mark_safe(clean)


def without_empty_headings(html: str) -> str:
    """Tables whose empty heading cells are plain ones, as screen readers want them."""
    return NO_HEADING.sub(r"<td\1></td>", html)
