"""The page of all components, opened in a browser without a server."""

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles import finders
from django.template import engines
from django.template.loader import render_to_string
from django.test import RequestFactory
from playwright.sync_api import BrowserContext, Page, Route

from tests.components.values import context, scores_chart
from tests.joined import joined

Scheme = Literal["light", "dark"]
FOLDER = Path(__file__).parent
SITE = "http://components.test"
WIDTHS = (390, 768, 1440)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def page_of_components() -> str:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    parts = [scores_chart(), *(one for make in joined("components") for one in make())]
    drawn = [
        {
            "name": part.name,
            "drawn": render_to_string(part.template, part.context, request),
        }
        for part in parts
    ]
    template = engines["django"].from_string((FOLDER / "page.html").read_text())
    return template.render(context() | {"components": drawn}, request)


def answer(route: Route) -> None:
    """The page itself, and the style sheets and scripts of the site."""
    path = urlsplit(route.request.url).path
    if path == "/":
        route.fulfill(body=page_of_components(), content_type="text/html")
    else:
        file = finders.find(path.removeprefix("/static/"))
        assert isinstance(file, str), f"the page asks for {path}"
        route.fulfill(path=file)


def open_page(browser_context: BrowserContext) -> Page:
    browser_context.route("**/*", answer)
    page = browser_context.new_page()
    page.goto(SITE)
    page.evaluate("document.fonts.ready")
    return page
