"""A live site with a small task, and visitors who are signed in."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from playwright.sync_api import Browser, BrowserContext

from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.source import Source
from tests.leaderboard.small import bundle

SignIn = Callable[[BrowserContext, User], None]


@pytest.fixture(scope="session", autouse=True)
def static_files() -> None:
    """The live server hands out what is collected, as a real one does."""
    call_command("collectstatic", link=True, interactive=False, verbosity=0)


@pytest.fixture
def task(ada: User) -> Task:
    """ada's open task: two test sets, north and south, each a tale and a letter."""
    plain = bundle(synthetic=True)
    files = {name: with_genres(data) for name, data in plain.files.items()}
    return create_task(Source(plain.name, files), ada)


def with_genres(data: bytes) -> bytes:
    """The first sentence of a file becomes a tale, the second a letter."""
    first, second = b"# sent_id = s1\n", b"# sent_id = s2\n"
    told = data.replace(first, first + b"# genre = tale\n")
    return told.replace(second, second + b"# genre = letter\n")


@pytest.fixture
def scriptless(browser: Browser, live_server: Any) -> Iterator[BrowserContext]:
    """A browser that runs no scripts."""
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    yield context
    context.close()


@pytest.fixture
def sign_in(live_server: Any) -> SignIn:
    """Gives a browser the session of somebody, without the form."""

    def sign_in(context: BrowserContext, user: User) -> None:
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        value = client.cookies[name].value
        context.add_cookies([{"name": name, "value": value, "url": live_server.url}])

    return sign_in
