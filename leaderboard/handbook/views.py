"""Pages of the handbook in the site's frame, its files, and its search."""

from collections import defaultdict

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from leaderboard.handbook.pages import (
    context_of,
    files,
    page_at,
    page_moved_from,
    parts,
)
from leaderboard.handbook.search import LONGEST_QUESTION, SectionHit, search
from leaderboard.web.access import ANYBODY, access

# All else is text to be read, whatever it would be to a browser.
KINDS = {".png": "image/png"}
TEXT = "text/plain; charset=utf-8"
SECONDS = 300


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
    question = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_QUESTION]
    hits = search(question)
    by_page: dict[str, list[SectionHit]] = defaultdict(list)
    for hit in hits:
        by_page[hit.section.page.path].append(hit)
    pages = [
        (
            part.title,
            [(page, by_page[page.path]) for page in part.pages if page.path in by_page],
        )
        for part in parts()
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
    path = files().get(name)
    if path is None:
        raise Http404
    kind = KINDS.get(path.suffix, TEXT)
    response = HttpResponse(path.read_bytes(), content_type=kind)
    response["Cache-Control"] = f"public, max-age={SECONDS}"
    return response


def _reads_another_language() -> bool:
    """Whether the frame is in another language than the text, which is English."""
    return get_language() != settings.LANGUAGE_CODE
