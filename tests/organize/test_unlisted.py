"""Unlisted tasks: on no list, feed or search, and seen by who knows the address."""

from collections.abc import Callable

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from leaderboard.boards import front_page
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.joined import joined
from tests.leaderboard.small import bundle
from tests.loops import loop_over
from tests.organize.gold_changes import score_all
from tests.organize.sheets import two_sent

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]
Login = Callable[[User], Client]
CANARY = "kanarieunlisted"
LISTS = (
    "/",
    "/?q=kanarie",
    "/?q=Bens",
    "/?q=otters",
    "/?state=open",
    "/?kind=attachment",
    "/api/v1/tasks/",
    "/api/v1/teams/results/?team=Bens",
    "/teams/results/?team=Bens",
    "/scorers/attachment/",
    "/sitemap.xml",
    "/robots.txt",
    "/metrics",
)


@pytest.fixture
def unlisted(task: Task) -> Task:
    """The otters with scores, unlisted; what was kept of them as listed is gone."""
    score_all()
    task.title, task.unlisted = f"Otters {CANARY}", True
    task.save(update_fields=["title", "unlisted"])
    for name in settings.CACHES:
        caches[name].clear()
    return task


def names_it(client: Client, address: str) -> bool:
    text = client.get(address).content.decode()
    return any(word in text for word in (CANARY, "/tasks/otters/", '"slug":"otters"'))


@pytest.mark.parametrize("reader", ["", "cy"])
@loop_over("address", [*LISTS, *(a for found in joined("LISTS") for a in found)])
def test_no_list_feed_or_search_names_an_unlisted_task(
    unlisted: Task, address: str, reader: str, client: Client, cy: User
) -> None:
    if reader:
        client.force_login(cy)
    assert not names_it(client, address)


@pytest.mark.parametrize("address", ["/", "/?q=kanarie", "/?q=Bens", "/api/v1/tasks/"])
def test_the_same_lists_name_it_while_it_is_listed(
    unlisted: Task, address: str, client: Client
) -> None:
    Task.objects.update(unlisted=False)
    assert names_it(client, address)


def test_no_number_of_tasks_counts_it(unlisted: Task, ada: User) -> None:
    create_task(bundle(slug="kites"), ada)
    asked = front_page.TaskFilter.of({}, timezone.now(), AnonymousUser())
    assert asked.number("", "") == 1


@pytest.mark.parametrize(
    "path",
    ["", "data/", "rules/", "results/", "log/", "test/board/", "test/board.csv"],
)
def test_whoever_knows_its_address_sees_it(
    unlisted: Task, path: str, client: Client
) -> None:
    assert client.get(f"/tasks/otters/{path}").status_code == 200
    assert client.get("/api/v1/tasks/otters/").json()["slug"] == "otters"


@pytest.mark.parametrize("path", ["", "data/", "test/board/", "test/charts/"])
def test_its_pages_ask_search_engines_to_pass_over_them(
    unlisted: Task, path: str, client: Client
) -> None:
    page = client.get(f"/tasks/otters/{path}").content.decode()
    assert '<meta name="robots" content="noindex, nofollow">' in page
    assert "application/ld+json" not in page


@pytest.mark.parametrize("name", ["ada", "ben"])
def test_its_organizers_and_teams_have_it_on_their_lists(
    unlisted: Task, as_user: Login, name: str
) -> None:
    reader = as_user(User.objects.get(name=name))
    for address in ("/", "/?state=open", "/api/v1/tasks/"):
        assert names_it(reader, address)


def test_an_organizer_unlists_a_task_by_form_and_reads_so(
    task: Task, as_user: Login, ada: User
) -> None:
    reader = as_user(ada)
    texts = {"title": task.title, "prizes": "0", "unlisted": "on"}
    assert reader.post("/tasks/otters/organize/edit/", texts).status_code == 302
    task.refresh_from_db()
    assert task.unlisted
    page = reader.get("/tasks/otters/organize/").content.decode()
    assert "This task is unlisted" in page
