"""The schema is the committed one, and what answers is as it says."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from drf_spectacular.renderers import OpenApiYamlRenderer
from drf_spectacular.validation import validate_schema
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from leaderboard.api import tokens
from leaderboard.api.schema import schema
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.cast import built_once
from tests.joined import joined
from tests.leaderboard.small import both, bundle, scored
from tests.transactions import undone

COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
GENERATED = settings(
    max_examples=3,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def rendered() -> str:
    return OpenApiYamlRenderer().render(schema(), renderer_context={}).decode()


@pytest.mark.all_extras
def test_the_committed_schema_is_the_one_that_is_served() -> None:
    """`manage.py write_schema` writes it anew."""
    assert COMMITTED.read_text("utf-8") == rendered()


def test_the_schema_is_valid_openapi() -> None:
    validate_schema(schema())


@pytest.fixture(scope="module")
def site(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    """A task with one scored submission, and a token of each role."""
    with built_once(django_db_blocker), connections_kept():
        yield built()


@contextmanager
def connections_kept() -> Iterator[None]:
    """Requests come through the WSGI door, and must not close what the test holds."""
    doors = (request_started, request_finished)
    for door in doors:
        door.disconnect(close_old_connections)
    yield
    for door in doors:
        door.connect(close_old_connections)


def built() -> dict[str, Any]:
    ada, ben = (User.objects.create_user(f"{n}@example.org", "x") for n in ("a", "b"))
    phase = create_task(bundle(), ada).phases.get()
    sent = scored(phase, join(phase.task, Team.found("Bens", ben)), both())
    scopes = ("read", "submit", "organize")
    places = {
        "slug": "otters",
        "phase": "test",
        "name": "north",
        "number": 1,
        "id": str(sent.pk),
        "start": "0" * 16,
        "form": "csv",
    }
    for place in joined("place"):
        places |= place(ben)
    people = {"organizer": ada, "team": ben}
    texts = {role: tokens.make(user, "all", scopes)[1] for role, user in people.items()}
    return {"places": places, "texts": texts}


@pytest.mark.thorough
@pytest.mark.parametrize("role", ["anonymous", "team", "organizer"])
def test_whatever_is_sent_is_answered_as_the_schema_says(
    site: dict[str, Any], db: None, role: str
) -> None:
    """Nothing generated gets a server error, nor an answer of another form."""
    described = schemathesis.openapi.from_dict(schema())
    described.app = get_wsgi_application()
    text = site["texts"].get(role)
    headers = {"Accept-Encoding": "identity"}
    if text:
        headers["Authorization"] = f"Bearer {text}"
    for result in described.get_all_operations():
        hold(result.ok(), site["places"], headers)


def hold(operation: Any, places: Mapping[str, Any], headers: dict[str, str]) -> None:
    """Half of the requests name what exists, the others whatever is generated."""
    count = iter(range(1000))

    @GENERATED
    @given(case=operation.as_strategy())
    def one(case: Any) -> None:
        if next(count) % 3:
            known = {key: places[key] for key in case.path_parameters or {}}
            case.path_parameters = known
            case.headers.pop("Authorization", None)
        with undone():
            answer = case.call(headers=headers)
            transaction.set_rollback(True)
        case.validate_response(answer, checks=CHECKS)

    one()
