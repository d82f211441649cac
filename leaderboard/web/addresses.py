"""Addresses that most mail names, known without the pages behind them.

To ask Django for an address loads every page of the site: a second of processor time
and 29 MB of whichever process writes the first mail. These it can be asked for as if
they were all; `leaderboard.urls` puts the pages there.
"""

from typing import Any, NoReturn

from django.conf import settings
from django.http import Http404
from django.urls import path, reverse

ROUTES = {
    "submission": "submissions/<uuid:pk>/",
    "messages-off": "letters/<str:token>/",
    "results-off": "results/<str:token>/",
}


def nothing(*_args: object, **_names: object) -> NoReturn:
    """A stand-in for a page that nobody asks for here."""
    raise Http404


urlpatterns = [path(route, nothing, name=name) for name, route in ROUTES.items()]


def address(name: str, *args: Any) -> str:
    """The path of a page in ROUTES."""
    return reverse(name, urlconf=__name__, args=args)


def absolute(path: str) -> str:
    """The path of a page with the site's own address before it."""
    return f"{settings.SITE_URL}{path}"
