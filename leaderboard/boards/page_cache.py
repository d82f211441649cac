"""Cache of pages in two levels: by what a reader may see, and whole for anonymous ones.

A value is cached under all that it depends on, first of all what its reader may see,
together with the version of the board it shows. A newer version is rendered once: while
one request does it the others are given what there is. A board that changes many times
a second is not rendered as often: that takes a fortieth of the time, or what rendering
it once every three seconds takes. What is older than `BOARD_SECONDS` is rendered anew,
whatever it shows, so that not even what no version counts (the name of a team) stays
wrong for longer. One request does so some time before. Where rendering takes longer,
the others are given what there is for `LATE_SECONDS` more instead of waiting. Where
readers come all the time none of them waits: a thread renders what the next ones get.

The store is Redis where it answers and the memory of the process where not: no page
needs it. Before it `AnonymousCache` hands out whole answers of this process; both
together keep nothing longer than five seconds, or twenty while it is being rendered.
"""

import gzip
import logging
import re
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from typing import Any

from django.conf import settings
from django.contrib.messages import get_messages
from django.core.cache import caches
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template import RequestContext
from django.template.loader import get_template, render_to_string
from django.urls import ResolverMatch
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, override

from leaderboard.boards.query import BoardQuery
from leaderboard.tasks.policy import Disclosure
from leaderboard.web.cache import LruBySize
from leaderboard.web.heap import give_back

log = logging.getLogger(__name__)

SHARED = "boards"
MAKING_SECONDS = 5  # whoever makes something is given up after that
SHARE = 40  # a page is not made anew before forty times what it took have passed
RENEWED = 0.75  # of its life; whatever happened to the board, it is made anew then
BUSY_SECONDS = 1.0  # what two ask for within that is rendered while nobody waits
LATE_SECONDS = 15  # how much longer a page is handed out while it is made anew
ANONYMOUS = "at-hand"
PRIVATE = ("Cookie", "Authorization")
# All else that an answer to nobody in particular goes by, beside its address.
WORDS = ("Accept-Encoding", "Accept-Language")
ACCEPTS_GZIP = re.compile(r"\bgzip\b")
PACKING = 6  # what the server's own compression takes


@dataclass(frozen=True)
class PageKey:
    """All that a thing depends on: `parts` as text, and the `version` of the board."""

    kind: str
    parts: tuple[object, ...]
    version: int

    @property
    def key(self) -> str:
        text = repr((self.kind, self.parts)).encode()
        return blake2b(text, digest_size=20).hexdigest()


# One thread of a process makes a thing; there are fewer locks than things.
_locks = [Lock() for _ in range(64)]
_asked: LruBySize[float] = LruBySize(4096)
_behind = ThreadPoolExecutor(1, "renderer")


@dataclass(frozen=True)
class CachedValue:
    """A value from the cache; where it is not `fresh` the first who asks makes it anew,
    and only those who ask meanwhile are given it."""

    value: Any
    fresh: bool


def cached(depends: PageKey, make: Callable[[], Any]) -> Any:
    """The cached value, or what `make` returns; it must not ask the cache itself."""
    if settings.BOARD_SECONDS <= 0:
        return make()
    key = depends.key
    entry, busy = _lookup(key, depends.version), _is_busy(key)
    if entry and entry.fresh:
        return entry.value
    lock = _locks[hash(key) % len(_locks)]
    if not lock.acquire(blocking=entry is None):
        return entry and entry.value
    if entry and busy:
        behind = _render_behind, depends, make, lock, get_language()
        _behind.submit(copy_context().run, *behind)
        return entry.value
    try:
        return _rendered_once(key, depends.version, make)
    finally:
        lock.release()


def _is_busy(key: str) -> bool:
    """Whether somebody asked this process for it just before."""
    now = time.time()
    before = _asked.recall([key]).get(key, 0.0)
    _asked.remember(key, now)
    return 0 <= now - before < BUSY_SECONDS


def _render_behind(
    depends: PageKey, make: Callable[[], Any], lock: Lock, language: str | None
) -> None:
    """Render in a thread that has neither the language nor the connection of those who
    ask. What fails stays as it is until it is too old; who asks then gets the error."""
    try:
        close_old_connections()
        with override(language):
            _rendered_once(depends.key, depends.version, make)
    except Exception:
        log.exception("a page could not be rendered anew")
    finally:
        close_old_connections()
        lock.release()
        give_back()


def _rendered_once(key: str, version: int, make: Callable[[], Any]) -> Any:
    """Another thread may have made it meanwhile; another process may be making it."""
    entry = _lookup(key, version)
    if entry and entry.fresh:
        return entry.value
    claim = f"{key}-making"
    mine = caches[SHARED].add(claim, 1, MAKING_SECONDS)
    if entry and not mine:
        return entry.value
    try:
        since = time.time()
        made = make()
        cost = time.time() - since
        value = {"thing": made, "version": version, "at": since, "cost": cost}
        caches[SHARED].set(key, value, settings.BOARD_SECONDS + LATE_SECONDS)
    finally:
        if mine:
            caches[SHARED].delete(claim)
    return made


def _lookup(key: str, version: int) -> CachedValue | None:
    """None where nothing is cached, or only what is too old to be handed out."""
    stored = caches[SHARED].get(key)
    if stored is None:
        return None
    age = time.time() - stored["at"]
    if not 0 <= age < settings.BOARD_SECONDS + LATE_SECONDS:
        return None
    # What takes long to make is made the more seldom, whatever happens to the board.
    rests = age < SHARE * stored["cost"]
    ends = age >= RENEWED * settings.BOARD_SECONDS
    fresh = not ends and (rests or stored["version"] == version)
    return CachedValue(stored["thing"], fresh)


Context = dict[str, Any]


@dataclass(frozen=True)
class BoardReader:
    """The reader of a page and what they may see: all it depends on beside the rows.

    `own` are the ids of the submissions that are marked as theirs.
    """

    request: HttpRequest
    query: BoardQuery
    disclosure: Disclosure
    organizes: bool
    own: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[object, ...]:
        request = self.request
        return (
            *self.query.cache_parts(self.disclosure),
            self.organizes,
            self.own,
            request.user.is_authenticated,
            get_language(),
            request.scheme,
            request.get_host(),
            request.get_full_path(),
        )

    def depends(self, kind: str) -> PageKey:
        return PageKey(kind, self.parts, self.query.phase.board_version)

    @property
    def is_anybody(self) -> bool:
        """Nothing around the board is this reader's own: no name, no message."""
        request = self.request
        return request.user.is_anonymous and not len(get_messages(request))


def answer(reader: BoardReader, make: Callable[[], Context]) -> HttpResponse:
    """The page around the board, of which `make` gives the context if it must."""
    if reader.is_anybody:
        page = cached(reader.depends("page"), lambda: _page(reader, make()))
        return _conditional(reader.request, page)

    def packed() -> bytes:
        return zlib.compress(_section(reader, make()), 1)

    section: bytes = cached(reader.depends("section"), packed)
    return HttpResponse(_around(reader, zlib.decompress(section).decode()))


def _page(reader: BoardReader, context: Context) -> Context:
    html = _around(reader, _section(reader, context).decode()).encode()
    digest = blake2b(html, digest_size=16).hexdigest()
    return {"page": gzip.compress(html, PACKING, mtime=0), "etag": f'W/"{digest}"'}


def _section(reader: BoardReader, context: Context) -> bytes:
    """Between head and foot. What was shown is let go at once.

    A template's context refers to itself. With it the thousand rows of a board would
    lie about until garbage is looked for, and that takes longer than making the page.
    """
    template = get_template("boards/_section.html").template
    around = RequestContext(reader.request)
    with around.push(**context):
        return template.render(around).encode()


def _around(reader: BoardReader, section: str) -> str:
    """The whole page. What stands in the section was escaped when it was rendered."""
    context = {
        "task": reader.query.phase.task,
        "phase": reader.query.phase,
        "section": mark_safe(section),
    }
    return render_to_string("boards/board.html", context, reader.request)


def _conditional(request: HttpRequest, page: Context) -> HttpResponse:
    """304 where the reader has these bytes; to be asked for again each time."""
    packed = ACCEPTS_GZIP.search(request.headers.get("Accept-Encoding", ""))
    body = page["page"] if packed else gzip.decompress(page["page"])
    response = HttpResponse(body)
    response.for_anybody = True  # type: ignore[attr-defined]  # see AnonymousCache
    if packed:
        response["Content-Encoding"] = "gzip"
    response["ETag"] = page["etag"]
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Accept-Encoding", "Accept-Language", "Cookie"])
    found = get_conditional_response(request, etag=page["etag"], response=response)
    return found or response


@dataclass(frozen=True)
class CachedAnswer:
    """An answer as it was given; `route` is what the log calls it."""

    body: bytes
    headers: dict[str, str]
    route: str | None


class AnonymousCache:
    """Hands an anonymous reader what the last one was given, for part of a second.

    A middleware that stands before everything that asks who the reader is: a reader
    without a cookie is nobody in particular, and neither the database nor Redis hears
    of it. A page that may be handed out so says it by `for_anybody`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.ANONYMOUS_SECONDS <= 0 or not _from_anybody(request):
            return self.get_response(request)
        key = _key(request)
        page = caches[ANONYMOUS].get(key)
        if page is not None:
            return _again(request, page)
        answer = self.get_response(request)
        match = request.resolver_match
        if match and getattr(answer, "for_anybody", False) and not answer.cookies:
            page = CachedAnswer(answer.content, dict(answer.items()), match.url_name)
            caches[ANONYMOUS].set(key, page, settings.ANONYMOUS_SECONDS)
        return answer


def _from_anybody(request: HttpRequest) -> bool:
    private = any(request.headers.get(name) for name in PRIVATE)
    return request.method == "GET" and not private


def _key(request: HttpRequest) -> str:
    where = (request.scheme, request.get_host(), request.get_full_path())
    words = tuple(request.headers.get(name) for name in WORDS)
    return blake2b(repr((where, words)).encode(), digest_size=20).hexdigest()


def _again(request: HttpRequest, page: CachedAnswer) -> HttpResponseBase:
    answer = HttpResponse(page.body, headers=page.headers)
    request.resolver_match = ResolverMatch(answer, (), {}, url_name=page.route)
    found = get_conditional_response(request, etag=answer["ETag"], response=answer)
    return found or answer
