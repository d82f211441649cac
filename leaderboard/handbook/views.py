"""Pages of the handbook in the site's frame, its files, and its search."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import escape, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from leaderboard.handbook.pages import (
    HandbookPage,
    context_of,
    files,
    page_address,
    page_at,
    page_moved_from,
    page_text,
    pages,
    parse_page,
    parts,
)
from leaderboard.web.access import ANYBODY, access, or_404

# All else is text to be read, whatever it would be to a browser.
KINDS = {".png": "image/png"}
TEXT = "text/plain; charset=utf-8"
SECONDS = 300
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


def search(question: str) -> list[tuple[Section, SafeString]]:
    """Sections with an excerpt, the best first: words in their titles, then how often
    they occur."""
    words = list(dict.fromkeys(WORD.findall(question.casefold())))
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
        (section, _excerpt(section.text, words))
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


@require_safe
@access(ANYBODY)
def page(request: HttpRequest, name: str = "") -> HttpResponse:
    page = page_at(name)
    if page is None:
        if moved := page_moved_from(name):
            return redirect("handbook-page", moved.path, permanent=True)
        raise Http404
    context = {**context_of(page), "foreign": _reads_another_language()}
    return render(request, "handbook/page.html", context)


@require_safe
@access(ANYBODY)
def find(request: HttpRequest) -> HttpResponse:
    """Sections that hold every word, by the part of the handbook they stand in."""
    question = request.GET.get("q", "").replace("\0", "").strip()
    hits = search(question)
    by_page: dict[str, list[tuple[Section, SafeString]]] = defaultdict(list)
    for section, excerpt in hits:
        by_page[section.page.path].append((section, excerpt))
    pages = [
        (
            title,
            [(page, by_page[page.path]) for page in own if page.path in by_page],
        )
        for title, own in parts()
    ]
    context = {
        "asked": question,
        "number": len(hits),
        "found": [(title, some) for title, some in pages if some],
        "parts": parts(),
        "foreign": _reads_another_language(),
    }
    return render(request, "handbook/search.html", context)


@require_safe
@access(ANYBODY)
def file(request: HttpRequest, name: str) -> HttpResponse:
    path = or_404(files().get(name))
    kind = KINDS.get(path.suffix, TEXT)
    response = HttpResponse(path.read_bytes(), content_type=kind)
    response["Cache-Control"] = f"public, max-age={SECONDS}"
    return response


def _reads_another_language() -> bool:
    """Whether the frame is in another language than the text, which is English."""
    return get_language() != settings.LANGUAGE_CODE
