"""The page of a board as bytes, kept for everybody who may see the same."""

import gzip
import re
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any

from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.template import RequestContext
from django.template.loader import get_template, render_to_string
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.safestring import mark_safe
from django.utils.translation import get_language

from leaderboard.boards.caching import Depends, kept
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Disclosure

ACCEPTS_GZIP = re.compile(r"\bgzip\b")
PACKING = 6  # what the server's own compression takes

Context = dict[str, Any]


def depended_on(phase: Phase, shown: Disclosure) -> tuple[object, ...]:
    """What the rows of a board depend on beside its version."""
    live = getattr(phase, "live_revision", None)
    return (
        phase.pk,
        phase.gold_revision_id,
        live and live.pk,
        phase.state(),
        sorted(asdict(shown).items()),
    )


@dataclass(frozen=True)
class Reader:
    """What a page depends on beside the rows: who reads, and what they may see."""

    request: HttpRequest
    phase: Phase
    shown: Disclosure
    organizes: bool

    @property
    def parts(self) -> tuple[object, ...]:
        request = self.request
        return (
            *depended_on(self.phase, self.shown),
            self.organizes,
            request.user.is_authenticated,
            get_language(),
            request.scheme,
            request.get_host(),
            request.get_full_path(),
        )

    def depends(self, kind: str) -> Depends:
        return Depends(kind, self.parts, self.phase.board_version)

    @property
    def is_anybody(self) -> bool:
        """Nothing around the board is this reader's own: no name, no message."""
        request = self.request
        return request.user.is_anonymous and not len(get_messages(request))


def answer(reader: Reader, make: Callable[[], Context]) -> HttpResponse:
    """The page around the board, of which `make` gives the context if it must."""
    if reader.is_anybody:
        page = kept(reader.depends("page"), lambda: _page(reader, make()))
        return _conditional(reader.request, page)

    def packed() -> bytes:
        return zlib.compress(_section(reader, make()), 1)

    section = kept(reader.depends("section"), packed)
    return HttpResponse(_around(reader, zlib.decompress(section)))


def _page(reader: Reader, context: Context) -> Context:
    html = _around(reader, _section(reader, context)).encode()
    digest = blake2b(html, digest_size=16).hexdigest()
    return {"page": gzip.compress(html, PACKING, mtime=0), "etag": f'W/"{digest}"'}


def _section(reader: Reader, context: Context) -> bytes:
    """Between head and foot. What was shown is let go at once.

    A template's context refers to itself. With it the thousand rows of a board would
    lie about until garbage is looked for, and that takes longer than making the page.
    """
    template = get_template("boards/_section.html").template
    around = RequestContext(reader.request)
    with around.push(**context):
        return template.render(around).encode()


def _around(reader: Reader, section: bytes) -> str:
    """The whole page. What stands in the section was escaped when it was rendered."""
    context = {
        "task": reader.phase.task,
        "phase": reader.phase,
        "section": mark_safe(section.decode()),
    }
    return render_to_string("boards/board.html", context, reader.request)


def _conditional(request: HttpRequest, page: Context) -> HttpResponse:
    """304 where the reader has these bytes; to be asked for again each time."""
    packed = ACCEPTS_GZIP.search(request.headers.get("Accept-Encoding", ""))
    body = page["page"] if packed else gzip.decompress(page["page"])
    response = HttpResponse(body)
    response.for_anybody = True  # type: ignore[attr-defined]  # see at_hand
    if packed:
        response["Content-Encoding"] = "gzip"
    response["ETag"] = page["etag"]
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Accept-Encoding", "Accept-Language", "Cookie"])
    found = get_conditional_response(request, etag=page["etag"], response=response)
    return found or response
