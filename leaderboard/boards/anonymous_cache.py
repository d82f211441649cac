"""Pages that are the same for everybody, handed out again before anything is asked.

A reader without a cookie is nobody in particular. What one of them was given is given
to the next who asks for the same in the same words, for a part of a second and by the
same process: neither the database nor Redis hears of it. A page that may be handed out
so says it by `for_anybody`; together with the time that `caching` keeps it nothing is
older than five seconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import ResolverMatch
from django.utils.cache import get_conditional_response

STORE = "at-hand"
PRIVATE = ("Cookie", "Authorization")
# All else that an answer to nobody in particular goes by, beside its address.
WORDS = ("Accept-Encoding", "Accept-Language")


@dataclass(frozen=True)
class CachedAnswer:
    """An answer as it was given; `route` is what the log calls it."""

    body: bytes
    headers: dict[str, str]
    route: str | None


class AnonymousCache:
    """Stands before everything that asks who the reader is."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.AT_HAND_SECONDS <= 0 or not _from_anybody(request):
            return self.get_response(request)
        key = _key(request)
        page = caches[STORE].get(key)
        if page is not None:
            return _again(request, page)
        answer = self.get_response(request)
        match = request.resolver_match
        if match and getattr(answer, "for_anybody", False) and not answer.cookies:
            page = CachedAnswer(answer.content, dict(answer.items()), match.url_name)
            caches[STORE].set(key, page, settings.AT_HAND_SECONDS)
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
