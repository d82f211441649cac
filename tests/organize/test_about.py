"""Who organizes a task and how it is cited; terms that teams accept when they join."""

import json
import re
from collections.abc import Callable

import pytest
from django.test import Client

from leaderboard.tasks.models import Participation, Task
from leaderboard.teams.models import User
from tests.leaderboard.channels import bearer
from tests.organize.phase_fields import text

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]

Login = Callable[[User], Client]
ABOUT = "/tasks/otters/organize/about/"
FIELDS = {
    "authors": "Lovelace, Ada\nThe Otter Society\n",
    "contact": "otters@example.org",
    "website": "https://otters.example.org/",
    "forum": "https://talk.example.org/otters",
    "paper": "https://papers.example.org/otters.pdf",
    "doi": "10.5555/otters.1",
    "licence": "CC-BY-4.0",
}


@pytest.mark.usefixtures("pages_made_anew")
def test_organizers_say_who_they_are_and_everybody_reads_it(
    task: Task, ada: User, as_user: Login
) -> None:
    assert "about-title" not in text(Client().get("/tasks/otters/"))
    form = as_user(ada).get(ABOUT).text
    assert form.count('inputmode="url"') == 3 and 'type="url"' not in form
    pasted = FIELDS | {
        "doi": "https://doi.org/10.5555/otters.1",
        "website": "otters.example.org/",
    }
    assert as_user(ada).post(ABOUT, pasted).status_code == 302
    page = text(Client().get("/tasks/otters/"))
    assert "about-title" in page
    assert "Lovelace, Ada; The Otter Society" in page
    for name, value in FIELDS.items():
        if name != "authors":
            assert value in page
    answer = Client().get("/api/v1/tasks/otters/").json()
    assert answer["authors"] == ["Lovelace, Ada", "The Otter Society"]
    assert answer["doi"] == "10.5555/otters.1"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"doi": "https://example.org/10.5555/x"}, "Write it as in 10.5281"),
        ({"doi": "10.5555/a b"}, "Write it as in 10.5281"),
        ({"contact": "Ada"}, "valid email"),
        ({"website": "javascript:alert(1)"}, "valid URL"),
        ({"forum": "example"}, "valid URL"),
        ({"authors": "x" * 121}, "at most 120 characters"),
        ({"authors": "\n".join(f"A{n}, B" for n in range(101))}, "At most 100"),
    ],
)
def test_what_cannot_be_cited_is_refused(
    task: Task, ada: User, as_user: Login, changes: dict[str, str], said: str
) -> None:
    answer = as_user(ada).post(ABOUT, FIELDS | changes)
    assert answer.status_code == 422
    assert said in text(answer)
    task.refresh_from_db()
    assert not task.is_described


@pytest.fixture
def with_terms(task: Task) -> Task:
    task.terms = "Do **not** train on the test set."
    task.save()
    return task


def test_a_team_joins_only_under_the_terms(
    with_terms: Task, ben: User, as_user: Login
) -> None:
    rules = as_user(ben).get("/tasks/otters/rules/")
    assert "<strong>not</strong>" in rules.content.decode()
    page = as_user(ben).get("/tasks/otters/join/")
    assert "<strong>not</strong>" in page.content.decode()
    refused = as_user(ben).post("/tasks/otters/join/", {"name": "Bens"})
    assert "only under the terms" in text(refused)
    assert not Participation.objects.exists()
    accepted = {"name": "Bens", "accept_terms": "on"}
    assert as_user(ben).post("/tasks/otters/join/", accepted).status_code == 302
    assert Participation.objects.get().terms_accepted_at is not None


def test_a_program_accepts_the_terms_too(with_terms: Task, ben: User) -> None:
    client = bearer(ben, "submit")
    address = "/api/v1/tasks/otters/team/"
    refused = client.post(address, {"name": "Bens"}, "application/json")
    assert refused.status_code == 422
    assert "accept_terms" in refused.content.decode()
    accepted = {"name": "Bens", "accept_terms": True}
    assert client.post(address, accepted, "application/json").status_code == 201
    assert Participation.objects.get().terms_accepted_at is not None


def test_without_terms_nothing_is_asked(task: Task, ben: User, as_user: Login) -> None:
    assert "terms" not in text(as_user(ben).get("/tasks/otters/join/"))
    as_user(ben).post("/tasks/otters/join/", {"name": "Bens"})
    assert Participation.objects.get().terms_accepted_at is None


def test_search_engines_read_the_task_as_a_dataset(
    task: Task, ada: User, as_user: Login
) -> None:
    task.summary = "Otters </script><script>alert(1)</script> & more."
    task.save()
    as_user(ada).post(ABOUT, FIELDS)
    page = Client().get("/tasks/otters/").content.decode()
    (found,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page)
    values = json.loads(found)
    assert values["@type"] == "Dataset"
    assert values["description"] == task.summary
    assert values["creator"][0]["familyName"] == "Lovelace"
    assert values["creator"][1] == {
        "@type": "Organization",
        "name": "The Otter Society",
    }
    assert values["license"] == {"@type": "CreativeWork", "name": "CC-BY-4.0"}
