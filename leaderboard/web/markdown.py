"""Organizers' Markdown as safe HTML."""

import re

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

# A heading cell that says nothing, as above the names of rows, is no heading.
NO_HEADING = re.compile(r"<th([^>]*)></th>")
RENDERER = MarkdownIt("commonmark", {"html": False}).enable("table")
TEXT = {"p", "strong", "em", "code", "pre", "blockquote", "a", "br", "hr"}
HEADINGS = {"h2", "h3", "h4", "h5", "h6"}
LISTS = {"ul", "ol", "li"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td"}


def rendered(text: str) -> SafeString:
    """HTML with only the tags listed here; headings start at the second level."""
    html = RENDERER.render(text).replace("<h1>", "<h2>").replace("</h1>", "</h2>")
    clean = nh3.clean(
        html,
        tags=TEXT | HEADINGS | LISTS | TABLES,
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
