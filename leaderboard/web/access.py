"""Access to views, declared on the view.

    @require_safe
    @access(EDIT)
    def listing(request: HttpRequest, task: Task) -> HttpResponse: ...

A mark turns away whoever may not, and hands to the view what the address names, as rows
in place of names. Marks of tasks and submissions stand in the `access` modules of their
apps, others beside the views that use them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.contrib import messages
from django.core.checks import CheckMessage, Error
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, resolve_url
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from leaderboard.web.requests import READING

View = Callable[..., HttpResponseBase]
Names = Mapping[str, Any]
Find = Callable[..., Names]
Thing = TypeVar("Thing")

# Included in `leaderboard/urls.py` from packages, with rules of their own: modules of
# routes, or the namespace where there is none.
PACKAGES = ("allauth.urls", "admin")


def or_404(thing: Thing | None) -> Thing:
    """The thing that an address names. Raises Http404 where there is none."""
    if not thing:
        raise Http404
    return thing


def only_signed_in(view: View) -> View:
    """A view for people who are signed in. Others are asked to sign in, and told that
    nothing was sent where they sent a form."""

    @wraps(view)
    def guarded_view(request: HttpRequest, **names: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, **names)
        if request.method == "POST":
            text = _(
                "You are not signed in any more, so nothing was sent. "
                "Sign in and send it again."
            )
            messages.warning(request, text)
        page = quote(page_to_return_to(request))
        address = f"{resolve_url(settings.LOGIN_URL)}?next={page}"
        if _part_of(request):
            return HttpResponseClientRedirect(address)
        return redirect(address)

    return guarded_view


def _part_of(request: HttpRequest) -> HtmxDetails | None:
    """The request of a script for a part of its page, in whose place another page would
    stand; None for a whole page."""
    part: HtmxDetails | None = getattr(request, "htmx", None)
    return part if part and not part.boosted else None


def page_to_return_to(request: HttpRequest) -> str:
    """The address of the page that is asked for, that a part is of, or whose form was
    sent: many addresses that take a form have no page."""
    if (part := _part_of(request)) and part.current_url_abs_path:
        return part.current_url_abs_path
    if request.method not in READING:
        form = urlsplit(request.headers.get("Referer", ""))
        if form.netloc == request.get_host():
            return f"{form.path}?{form.query}" if form.query else form.path
    return request.get_full_path()


def as_named(user: Any, **names: Any) -> Names:
    """The names in an address as they are, for every reader."""
    return names


@dataclass(frozen=True)
class Access:
    """A group of people who may use a view.

    `gate` decides by the request alone, as `only_signed_in` does. `find` takes the
    reader and the names in the address; it returns what the view is given, or raises
    Http404 where that does not exist for this reader.
    """

    people: str
    find: Find = as_named
    gate: Callable[[View], View] | None = None

    @cached_property
    def signed_in(self) -> "Access":
        """The same, for nobody who is not signed in: they are asked to."""
        return replace(self, gate=only_signed_in)

    @property
    def needs_person(self) -> bool:
        return self.gate is only_signed_in


ANYBODY = Access("everybody")
SIGNED_IN = ANYBODY.signed_in
# The signed or secret text in the address is the proof; the view reads it.
LINK = Access("whoever has the link")


def access(mark: Access) -> Callable[[View], View]:
    """Declare who may use a view, and let nobody else in."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded_view(request: HttpRequest, **names: Any) -> HttpResponseBase:
            return view(request, **mark.find(request.user, **names))

        guarded: Any = mark.gate(guarded_view) if mark.gate else guarded_view
        guarded.access = mark
        return cast(View, guarded)

    return decorate


def mark_of(pattern: URLPattern) -> Access | None:
    """The mark of a route; views of the API have it on their class."""
    view = pattern.callback
    mark = getattr(getattr(view, "cls", view), "access", None)
    return mark if isinstance(mark, Access) else None


def own_routes(patterns: Any = None) -> Iterator[URLPattern]:
    """Every route that leads into our own code."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(pattern, URLPattern):
            yield pattern
        elif _package(pattern) not in PACKAGES:
            yield from own_routes(pattern.url_patterns)


def _package(included: URLResolver) -> str | None:
    return getattr(included.urlconf_name, "__name__", included.app_name)


def check_routes(**_options: Any) -> list[CheckMessage]:
    """Refuse a route that does not say who may use it."""
    return [
        Error(
            f"The route {route.pattern} ({route.name}) does not say who may use it.",
            hint="Decorate its view with @access, or set `access` on its class.",
            id="web.E001",
        )
        for route in own_routes()
        if mark_of(route) is None
    ]
