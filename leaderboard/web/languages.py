"""Languages of answers: pages in the reader's, files and API in English."""

from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from leaderboard.web.access import ANYBODY, access
from leaderboard.web.extras import english_routes

# Files that are kept, compared byte for byte or read by programs; extras name theirs.
ENGLISH = frozenset(
    {
        "kit",
        "receipt",
        "snapshot-rows",
        "blind-file",
        "option-file",
        "sent-file",
        "system-paper",
        "organize-bundle-download",
        "organize-gold-file",
        "healthz",
        "readyz",
        "metrics",
        "queue",
        "handbook-file",
        "board-export",
        "snapshot-export",
    }
)
API, API_PAGE = "/api/", "/api/docs/"


class ReaderLanguage(LocaleMiddleware):
    """The language of the cookie or the browser for pages, English for the rest."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        if request.path.startswith(API) and request.path != API_PAGE:
            _speak_english(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> None:
        match = request.resolver_match
        route = match.url_name if match is not None else None
        if route in ENGLISH or route in english_routes():
            _speak_english(request)

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if getattr(request, "only_english", False):
            response.headers.setdefault("Content-Language", settings.LANGUAGE_CODE)
            return response
        response = super().process_response(request, response)
        # The cookie decides before the browser does.
        patch_vary_headers(response, ("Cookie",))
        return response


def _speak_english(request: HttpRequest) -> None:
    translation.activate(settings.LANGUAGE_CODE)
    request.LANGUAGE_CODE = settings.LANGUAGE_CODE
    request.only_english = True  # type: ignore[attr-defined]


def speak_to_reader(request: HttpRequest) -> None:
    """Switch to the reader's language, for a page that comes in place of a file."""
    language = translation.get_language_from_request(request)
    translation.activate(language)
    request.LANGUAGE_CODE = language
    request.only_english = False  # type: ignore[attr-defined]


def in_english() -> AbstractContextManager[None]:
    """The language of texts that are stored and read by everybody, whoever's click
    wrote them."""
    return translation.override(settings.LANGUAGE_CODE)


def of_reader(person: Any) -> AbstractContextManager[None]:
    """The language of mail that no request of its reader asks for."""
    offered = person.language in dict(settings.LANGUAGES)
    return translation.override(person.language if offered else settings.LANGUAGE_CODE)


def mail_language_for(address: str, writer: object) -> AbstractContextManager[None]:
    """The language of mail to whoever has an account with the address, else of who
    writes."""
    people = get_user_model().objects
    return of_reader(people.filter(email__iexact=address).first() or writer)


def mail_language(person: Any) -> str:
    """The language of `of_reader` as it calls itself."""
    names = dict(settings.LANGUAGES)
    return str(names.get(person.language, names[settings.LANGUAGE_CODE]))


def remember(person: Any, language: str) -> None:
    """Mail to this person is in that language from now on, if the site speaks it."""
    if language in dict(settings.LANGUAGES) and language != person.language:
        person.language = language
        person.save(update_fields=["language"])


def remember_at_login(request: HttpRequest, user: Any, **_signal: object) -> None:
    """Remember the choice of this browser; else the page's, while nothing is known."""
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME)
    remember(user, chosen or user.language or getattr(request, "LANGUAGE_CODE", ""))


def language_context(request: HttpRequest) -> dict[str, Any]:
    """The languages as they call themselves, for the switch below every page; and how
    dates name months, for the script that turns them into the reader's zone."""
    long = set(translation.gettext("j M Y")) & set("EF")
    return {
        "site_languages": settings.LANGUAGES,
        "site_months": "long" if long else "short",
    }


def _from_elsewhere(request: HttpRequest) -> bool:
    """Whether a page of another site may have sent this: older browsers name only that
    page, and one that says nothing may be made to by that page."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "cross-site"
    page = request.headers.get("Origin") or request.headers.get("Referer")
    return page is None or urlsplit(page).netloc != request.get_host()


@csrf_exempt
@require_POST
@access(ANYBODY)
def choose(request: HttpRequest) -> HttpResponse:
    """Keep the chosen language in a cookie and goes back to the page.

    Mail to somebody who is signed in will be in it, too.

    A token would make every page another one for every reader, and so none could be
    answered from a cache. The browser says where the form stood.
    """
    if _from_elsewhere(request):
        return HttpResponseForbidden(content_type="text/plain")
    if request.user.is_authenticated:
        remember(request.user, request.POST.get("language", ""))
    return set_language(request)
