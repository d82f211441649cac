"""Short-lived cache of a process: whole pages of readers without a cookie, and what
many pages show of a board.

What is older than its seconds is made anew by the first who asks. Others who ask
meanwhile are given it for `LATE_SECONDS` more, and wait for the first where it is
older. Nothing of a page is older than these together when it is asked for, so that what
no version counts (the name of a team) is not wrong for longer either.
"""

import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from hashlib import blake2b
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.messages import get_messages
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import ResolverMatch
from django.utils.cache import get_conditional_response, patch_vary_headers

from leaderboard.web.cache import digest

MEMORY, FILES = "at-hand", "files"
MAKING_SECONDS = 5  # whoever waits for another makes it as well after that
LATE_SECONDS = 3  # how much longer a value is handed out while it is made anew
CHANGED_SECONDS = 1.0  # and of a board that changed meanwhile
# All else that an answer to nobody in particular goes by, beside its address.
WORDS = ("Accept-Encoding", "Accept-Language", "HX-Request", "HX-Boosted")


@dataclass(frozen=True)
class PageKey:
    """The key of a value: `parts` that it depends on, as text, and the `version` of
    the board; None of what is made of many boards, one of which may have changed."""

    kind: str
    parts: tuple[object, ...]
    version: int | None

    @property
    def key(self) -> str:
        return digest((self.kind, self.parts))


@dataclass(frozen=True)
class CachedValue:
    value: Any
    at: float
    version: int | None


def cached_page(
    depends: PageKey,
    make: Callable[[], Any],
    seconds: float = 0,
    in_files: bool = False,
) -> Any:
    """The cached value, or what `make` returns. A busy board is not read for each of
    its versions: a value of an earlier one is a second old at most. `seconds` is for
    what its readers are told to keep for longer than a page. What takes seconds to make
    is kept `in_files` too: for all processes of this machine, of one version an hour at
    most."""
    lifetime = settings.BOARD_SECONDS and max(seconds, settings.BOARD_SECONDS)
    if not lifetime:
        return make()

    def find() -> object:
        key = f"{depends.key}-{depends.version}"
        value = caches[FILES].get(key)
        if value is None:
            caches[FILES].set(key, value := make())
        return value

    return _page_or_make(
        depends.key, depends.version, lifetime, find if in_files else make
    )


def _page_or_make(
    key: str, version: int | None, seconds: float, make: Callable[[], Any]
) -> Any:
    store, began = caches[MEMORY], time.time()

    def serves(value: CachedValue, late: float = 0.0) -> bool:
        """Whether the value was new enough when this call began; clocks may go back."""
        changed = version is None or value.version != version
        most = min(seconds, CHANGED_SECONDS) if changed else seconds
        return value.at <= time.time() and began - value.at < most + late

    while True:
        cached: CachedValue | None = store.get(key)
        if cached is not None and serves(cached):
            return cached.value
        mine = Future[CachedValue]()
        making = _making.setdefault(key, mine)
        if making is mine:
            break
        if cached is not None and serves(cached, LATE_SECONDS):
            return cached.value
        try:
            fresh = making.result(MAKING_SECONDS)
        except (TimeoutError, CancelledError):
            return make()
        if serves(fresh, LATE_SECONDS):
            return fresh.value
    try:
        at = time.time()
        fresh = CachedValue(make(), at, version)
        store.set(key, fresh, seconds + LATE_SECONDS)
        mine.set_result(fresh)
        return fresh.value
    finally:
        del _making[key]
        mine.cancel()  # those who wait for what failed make it themselves


# What is being made just now, by key.
_making: dict[str, "Future[CachedValue]"] = {}


def share(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Let `AnonymousCache` hand the page to others, where nothing on it is its reader's
    own: no name, no message. Browsers ask for it each time, and get 304 if they have
    it."""
    if request.user.is_anonymous and not len(get_messages(request)):
        tag = blake2b(answer.content, digest_size=16).hexdigest()
        answer["ETag"] = f'W/"{tag}"'
        answer["Cache-Control"] = "private, no-cache"
        patch_vary_headers(answer, ["Accept-Encoding", "Accept-Language", "Cookie"])
        answer.for_anybody = True  # type: ignore[attr-defined]
    return answer


@dataclass(frozen=True)
class CachedAnswer:
    """An answer as it was given; `route` is what the log calls it."""

    body: bytes
    headers: dict[str, str]
    route: str | None


class _NotShared(Exception):
    """The answer is this reader's alone."""


class AnonymousCache:
    """Hands a reader without a cookie the page that the last one was given.

    A middleware that stands before everything that asks who the reader is: such a
    reader is nobody in particular, and neither the database nor Redis hears of it. A
    page that may be handed out so says it by `for_anybody`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        seconds = settings.ANONYMOUS_SECONDS
        headers = request.headers
        private = headers.get("Cookie") or headers.get("Authorization")
        if seconds <= 0 or private or request.method != "GET":
            return _unless_known(request, self.get_response(request))
        answers: list[HttpResponse] = []

        def make() -> CachedAnswer:
            answer = self.get_response(request)
            answers.append(answer)
            match = request.resolver_match
            ok = answer.status_code == HTTPStatus.OK
            shared = ok and hasattr(answer, "for_anybody")
            if not (match and shared) or answer.cookies:
                raise _NotShared
            return CachedAnswer(answer.content, dict(answer.items()), match.url_name)

        try:
            page = _page_or_make(_key(request), 0, seconds, make)
        except _NotShared:
            return answers[0]
        if answers:
            return _unless_known(request, answers[0])
        answer = HttpResponse(page.body, headers=page.headers)
        answer.for_anybody = True  # type: ignore[attr-defined]
        request.resolver_match = ResolverMatch(
            lambda: answer, (), {}, url_name=page.route
        )
        return _unless_known(request, answer)


def _unless_known(request: HttpRequest, answer: HttpResponseBase) -> HttpResponseBase:
    """The answer, or 304 where the reader has its bytes."""
    tag = answer.get("ETag") if hasattr(answer, "for_anybody") else None
    if tag is None or not isinstance(answer, HttpResponse):
        return answer
    return get_conditional_response(request, etag=tag, response=answer) or answer


def _key(request: HttpRequest) -> str:
    where = (request.scheme, request.get_host(), request.get_full_path())
    return digest((where, tuple(request.headers.get(name) for name in WORDS)))


class PrivatePages:
    """A middleware that keeps pages of signed-in readers out of every cache, so that no
    browser shows it after signing out; views that say otherwise are left alone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        # A session that nobody looked at made no difference, and would be loaded here,
        # as would one of a database that is away.
        failed = answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR
        if request.session.accessed and not failed and SESSION_KEY in request.session:
            answer.headers.setdefault("Cache-Control", "private, no-store")
        return answer
