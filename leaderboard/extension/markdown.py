"""Markdown as pages take it: its parser and what it may hold."""

from leaderboard.web.markdown import (
    HEADINGS,
    LISTS,
    LONGEST,
    TABLES,
    TEXT,
    parser,
    render_markdown,
)

__all__ = [
    "HEADINGS",
    "LISTS",
    "LONGEST",
    "TABLES",
    "TEXT",
    "parser",
    "render_markdown",
]
