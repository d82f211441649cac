"""What a site without extras needs: `make test ARGS=--without-extras` asks it there.

All of it holds on a site with every extra too, where the rest of the suite asks more.
"""

import re
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import Resolver404, resolve, reverse
from drf_spectacular.validation import validate_schema

from leaderboard.api.schema import schema
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.small import both, bundle, scored

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
LINK = re.compile(r'(?:href|hx-get|src)="(/[^"#]*)')


@pytest.fixture
def sent(phase: Phase, entry: Participation) -> Submission:
    return scored(phase, entry, both(), system="diver")


def test_the_checks_at_start_pass() -> None:
    call_command("check", fail_level="WARNING", stdout=None)
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_the_schema_of_the_api_is_valid() -> None:
    validate_schema(schema())


def linked(client: Client) -> dict[str, str]:
    """An address of each route that pages lead to from the front page, once opened."""
    opened: dict[str, str] = {}
    waiting = [reverse("home")]
    for address in waiting:
        try:
            route = str(resolve(urlsplit(address).path).url_name)
        except Resolver404:
            pytest.fail(f"a page leads to {address}, which is not there")
        if route in opened or "logout" in route:
            continue
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, address
        opened[route] = address
        if answer.get("Content-Type", "").startswith("text/html"):
            links = map(unescape, LINK.findall(answer.text))
            waiting += (link for link in links if not link.startswith("/static/"))
    return opened


@pytest.mark.databases("sql")  # whatever a page asks has been asked there once
@pytest.mark.parametrize("name", ["ada", ""], ids=["organizer", "anybody"])
def test_every_page_that_pages_lead_to_answers(
    name: str, sent: Submission, as_user: Any
) -> None:
    client = as_user(User.objects.get(name=name)) if name else Client()
    opened = linked(client)
    assert {"home", "task"} <= opened.keys()
    assert ("organize" in opened) == (name == "ada")


def test_a_board_shows_what_was_sent_in_pages_and_in_the_api(
    sent: Submission, phase: Phase
) -> None:
    page = Client().get(reverse("task", args=[phase.task.slug]), follow=True).text
    assert "diver" in page
    assert "diver" in Client().get(reverse("api-board", args=["otters", "test"])).text


def test_a_bundle_becomes_a_task(task: Task, ada: User, as_user: Any) -> None:
    created = create_task(bundle(slug="herons"), ada)
    assert as_user(ada).get(reverse("task", args=[created.slug])).status_code == 200
