"""Every method of every address, asked with a token of each scope."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from leaderboard.api.models import Scope
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from leaderboard.urls import urlpatterns
from tests.joined import joined
from tests.leaderboard.channels import bearer
from tests.leaderboard.small import both, scored

METHODS = ("GET", "POST", "DELETE", "PUT", "PATCH")
# What a scope opens beside reading, written down from what is promised.
WRITES = {
    ("api-check", "POST"): "submit",
    ("api-submissions", "POST"): "submit",
    ("api-team", "POST"): "submit",
    ("api-withdraw", "POST"): "submit",
    ("api-pick", "POST"): "submit",
    ("api-pick", "DELETE"): "submit",
    ("api-tasks", "POST"): "organize",
    ("api-bundle", "GET"): "organize",
    ("api-bundle", "POST"): "organize",
    ("api-publication", "GET"): "organize",
    ("api-publication", "POST"): "organize",
    ("api-gold-revisions", "GET"): "organize",
    ("api-gold-revisions", "POST"): "organize",
    ("api-gold-revision", "GET"): "organize",
    ("api-deadline", "POST"): "organize",
    ("api-extensions", "GET"): "organize",
    ("api-extensions", "POST"): "organize",
}
for _writes in joined("WRITES"):
    WRITES |= _writes
PLAIN = ("api-docs", "api-nothing")
# Addresses at which nothing is read
WRITTEN_ONLY = ("api-check", "api-withdraw", "api-pick", "api-deadline")


def routes() -> Iterator[tuple[str, str]]:
    """Name and pattern of each address of the API, in whatever file it stands."""
    for part in urlpatterns:
        for route in getattr(part, "url_patterns", []):
            pattern = f"/{part.pattern}{route.pattern}"
            name = str(getattr(route, "name", ""))
            if pattern.startswith("/api/") and name not in PLAIN:
                yield name, pattern


def address(found: str, pk: str) -> str:
    places = {
        "slug:slug": "otters",
        "slug:phase": "test",
        "slug:name": "north",
        "str:name": "weights.csv",
        "int:number": "1",
        "uuid:pk": pk,
        "slug:start": "0" * 16,
        "str:form": "csv",
        "int:key": "1",
    }
    for place, value in places.items():
        found = found.replace(f"<{place}>", value)
    return found


def one_sent(phase: Phase, entry: Participation) -> None:
    scored(phase, entry, both())


pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=one_sent)]


@pytest.fixture
def sent(task: Task) -> str:
    return str(Submission.objects.get().pk)


@pytest.mark.parametrize("scope", Scope.values)
def test_a_scope_opens_what_it_says_and_nothing_else(
    sent: str, ben: User, scope: str
) -> None:
    """403 names the missing scope; whose objects they are is the matrix' matter."""
    client = bearer(ben, scope)
    wrong = []
    for name, pattern in routes():
        for method in METHODS:
            answer = client.generic(method, address(pattern, sent))
            missing = answer.status_code == 403
            if answer.status_code == 405:
                assert (name, method) not in WRITES
            elif missing != (WRITES.get((name, method), scope) not in (scope, "read")):
                wrong.append((name, method, answer.status_code))
    assert wrong == []


def test_every_write_and_every_organizers_page_is_listed(sent: str, ben: User) -> None:
    client = bearer(ben, *Scope.values)
    taken = {
        (name, method)
        for name, pattern in routes()
        for method in METHODS[1:]
        if client.generic(method, address(pattern, sent)).status_code != 405
    }
    assert taken == {key for key in WRITES if key[1] != "GET"}


def test_the_anonymous_are_told_to_bring_a_token_wherever_they_write(sent: str) -> None:
    for name, pattern in routes():
        for method in METHODS[1:]:
            answer: Any = Client().generic(method, address(pattern, sent))
            if (name, method) in WRITES:
                assert answer.status_code == 401, name
                assert answer["WWW-Authenticate"] == 'Bearer realm="plumbline"'
            else:
                assert answer.status_code == 405, (name, method)
                assert "GET" in answer["Allow"] or name in WRITTEN_ONLY


def test_a_missing_scope_is_named_with_the_page_that_makes_tokens(
    sent: str, ben: User
) -> None:
    answer: Any = bearer(ben, "read").post(f"/api/v1/submissions/{sent}/withdraw/")
    assert answer.status_code == 403
    assert "lacks the scope 'submit'" in answer.json()["detail"]
    assert "/accounts/tokens/" in answer.json()["detail"]
