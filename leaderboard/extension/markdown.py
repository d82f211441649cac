"""Markdown as pages take it: its parser and what it may hold."""

# Texts of organizers and of other sites become the same safe HTML.
from leaderboard.web.markdown import (
    LONGEST,  # Characters of a text at most.
    TAGS,  # Every element of HTML that a page has.
    parser,
    render_markdown,
)
