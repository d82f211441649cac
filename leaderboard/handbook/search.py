"""Search in the handbook: sections of its pages that hold every word asked for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from django.utils.html import escape, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from leaderboard.handbook.pages import (
    HandbookPage,
    page_address,
    page_text,
    pages,
    parse_page,
)

LONGEST_QUESTION = 80
MOST = 40
AROUND = 90  # characters on each side of the first word found
WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class Section:
    """The text below one heading. `titles` are searched for first."""

    page: HandbookPage
    heading: str
    anchor: str
    text: str

    @property
    def titles(self) -> str:
        return f"{self.page.title} {self.heading}".casefold()

    @property
    def address(self) -> str:
        return f"{page_address(self.page.path)}#{self.anchor}"


@dataclass(frozen=True)
class SectionHit:
    section: Section
    excerpt: SafeString


def search(question: str) -> list[SectionHit]:
    """The best sections first: words in their titles, then how often they occur."""
    words = list(dict.fromkeys(WORD.findall(question[:LONGEST_QUESTION].casefold())))
    if not words:
        return []
    ranked = [
        (-_weight(section, words), number, section)
        for number, section in enumerate(sections())
        if all(
            word in section.titles or word in section.text.casefold() for word in words
        )
    ]
    return [
        SectionHit(section, _excerpt(section.text, words))
        for *_, section in sorted(ranked)[:MOST]
    ]


def _weight(section: Section, words: list[str]) -> int:
    """A word in the titles outweighs all in the text, of which each counts thrice."""
    text = section.text.casefold()
    in_titles = sum(word in section.titles for word in words)
    return 1000 * in_titles + sum(min(text.count(word), 3) for word in words)


@cache
def sections() -> tuple[Section, ...]:
    """All sections, in reading order; the front page is the list of the others."""
    return tuple(
        section for page in pages() if page.path for section in _sections(page)
    )


def _sections(page: HandbookPage) -> Iterator[Section]:
    headings = iter(page_text(page).headings)
    heading = next(headings)
    lines: list[str] = []
    tokens = iter(parse_page(page.source))
    seen = 0
    for token in tokens:
        if token.type == "heading_open":
            next(tokens)  # its words
            seen += 1
            if seen > 1:
                yield Section(page, heading.text, heading.anchor, " ".join(lines))
                heading, lines = next(headings), []
        elif token.type == "inline":
            lines.append(
                "".join(
                    child.content or " "
                    for child in token.children or []
                    if child.type not in ("link_open", "link_close", "image")
                )
            )
        elif token.type in ("fence", "code_block"):
            lines.append(" ".join(token.content.split()))
    yield Section(page, heading.text, heading.anchor, " ".join(lines))


def _excerpt(text: str, words: list[str]) -> SafeString:
    """The words around the first one found, with all that were asked for marked."""
    pattern = re.compile(f"({'|'.join(map(re.escape, words))})", re.IGNORECASE)
    match = pattern.search(text)
    start = max(match.start() - AROUND, 0) if match else 0
    start = text.find(" ", start) + 1 if start else 0
    excerpt = ("… " if start else "") + Truncator(text[start:]).chars(2 * AROUND + 40)
    # Every second piece is what the pattern found.
    *pieces, last = pattern.split(excerpt)
    pairs = zip(pieces[::2], pieces[1::2], strict=True)
    return format_html_join("", "{}<mark>{}</mark>", pairs) + escape(last)
