"""Markdown as pages take it: its parser and what it may hold."""

from leaderboard.web.markdown import (
    HEADINGS,
    LONGEST,
    TAGS,
    parser,
    render_markdown,
)

__all__ = [
    "HEADINGS",  # Elements of headings.
    "LONGEST",  # Characters of a text at most.
    "TAGS",  # Every element of HTML that a page has.
    "parser",
    "render_markdown",
]
