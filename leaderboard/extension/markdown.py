"""Markdown as pages take it: its parser and what it may hold."""

from leaderboard.web.markdown import LONGEST, TAGS, parser, render_markdown

# Texts of organizers and of other sites become the same safe HTML.
__all__ = [
    "LONGEST",  # Characters of a text at most.
    "TAGS",  # Every element of HTML that a page has.
    "parser",
    "render_markdown",
]
