"""A scorer that is registered appears everywhere by itself."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.test import Client

from leaderboard.handbook.scorers import group_scorers
from leaderboard.tasks.bundle.create import create_task
from leaderboard.teams.models import User
from scoring.scorers import all_scorers, get
from tests.leaderboard.small import bundle
from tests.scoring.toy import registered

pytestmark = pytest.mark.django_db


@pytest.fixture
def added() -> Iterator[str]:
    scorer = replace(get("attachment"), title="Added While Running")
    with registered("added", scorer):
        yield "added"


def test_every_scorer_has_a_page(client: Client) -> None:
    for name, scorer in all_scorers().items():
        text = client.get(f"/scorers/{name}/").content.decode()
        assert scorer.title in text
        for measure in scorer.measures(()):
            assert measure.name in text


def test_scorers_of_the_engine_stand_in_their_groups_and_others_behind(
    added: str,
) -> None:
    *groups, last = (group for _title, group in group_scorers(all_scorers().values()))
    assert [one["name"] for one in last] == ["added"]
    assert groups[0][0]["shown"][0]["name"] == "macro_f1"
    (retrieval,) = (group[0] for group in groups if len(group) == 1)
    assert len(retrieval["shown"]) + retrieval["more"] == len(retrieval["measures"])


def test_a_list_that_an_option_begins_with_is_printed_in_words(client: Client) -> None:
    text = client.get("/scorers/classes/").content.decode()
    assert re.search(r"<td>\s*document, genre, language\s*</td>", text)


def test_a_new_scorer_is_on_the_site_and_in_the_api(added: str, client: Client) -> None:
    assert "Added While Running" in client.get("/scorers/").content.decode()
    assert client.get(f"/scorers/{added}/").status_code == 200
    names = [one["name"] for one in client.get("/api/v1/scorers/").json()]
    assert added in names


def test_a_new_scorer_can_be_named_in_a_task(
    added: str, ada: User, client: Client
) -> None:
    client.force_login(ada)
    assert "Added While Running" in client.get("/tasks/new/").content.decode()
    task = create_task(bundle(scorer={"name": added}), ada)
    assert task.scorer.title == "Added While Running"


def test_an_unknown_scorer_is_not_found(client: Client) -> None:
    assert client.get("/scorers/nobody/").status_code == 404
