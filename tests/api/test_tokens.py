"""Tokens: shown once, kept as hashes, good for what they say and no longer."""

import re
from collections.abc import Callable
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.api import tokens
from leaderboard.api.models import Token
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.channels import bearer
from tests.leaderboard.small import both, bundle, scored

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
ME, PAGE = "/api/v1/me/", "/accounts/tokens/"


def with_token(text: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {text}"})


def test_a_token_stands_for_its_person(ben: User) -> None:
    found = bearer(ben, "submit").get(ME).json()
    assert (found["email"], found["scopes"]) == ("ben@example.org", ["submit"])


def test_the_page_shows_a_new_token_once_and_the_database_never_holds_it(
    ben: User, as_user: Login
) -> None:
    client = as_user(ben)
    fields = {"name": "cluster", "scopes": ["read", "submit"], "days": "30"}
    page = client.post(PAGE, fields).content.decode()
    (text,) = re.findall(r"plb_[\w-]{20,}", page)
    token = Token.objects.get()
    assert token.sha256 == tokens.digest(text) and text.startswith(token.start)
    assert text not in repr(Token.objects.values().get())
    assert text not in client.get(PAGE).content.decode()
    assert with_token(text).get(ME).json()["scopes"] == ["read", "submit"]
    assert token.expires_at is not None
    assert token.expires_at - timezone.now() < timedelta(days=30)


def test_the_answer_with_a_new_token_is_kept_nowhere(ben: User, as_user: Login) -> None:
    answer = as_user(ben).post(PAGE, {"name": "x", "scopes": ["read"], "days": "30"})
    assert "no-store" in answer["Cache-Control"]


def test_a_revoked_token_is_good_for_nothing_from_then_on(
    ben: User, as_user: Login
) -> None:
    token, text = tokens.make(ben, "x")
    as_user(ben).post(f"{PAGE}{token.pk}/revoke/")
    answer = with_token(text).get(ME)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].endswith('error="invalid_token"')


def test_nobody_revokes_what_is_not_theirs(ben: User, cy: User, as_user: Login) -> None:
    token, text = tokens.make(ben, "x")
    assert as_user(cy).post(f"{PAGE}{token.pk}/revoke/").status_code == 404
    assert with_token(text).get(ME).status_code == 200


def test_a_token_ends_when_it_says(ben: User) -> None:
    past = timezone.now() - timedelta(seconds=1)
    _token, text = tokens.make(ben, "x", expires_at=past)
    assert with_token(text).get(ME).json()["code"] == "bad_token"


def test_a_token_of_somebody_who_may_not_sign_in_is_refused(ben: User) -> None:
    client = bearer(ben)
    User.objects.filter(pk=ben.pk).update(is_active=False)
    assert client.get(ME).status_code == 401


def test_a_bad_token_is_refused_even_where_none_is_needed(task: Task) -> None:
    """Else a program with an old token would not notice."""
    assert with_token("plb_no").get("/api/v1/tasks/").status_code == 401
    assert with_token("plb_\xff").get("/api/v1/tasks/").status_code == 401
    assert Client().get("/api/v1/tasks/").status_code == 200


def test_the_last_use_is_written_once_a_minute(ben: User) -> None:
    client = bearer(ben)
    client.get(ME)
    used = Token.objects.get().used_at
    with CaptureQueriesContext(
        connection,
    ) as asked:
        client.get(ME)
    assert used is not None and Token.objects.get().used_at == used
    assert not [q for q in asked if q["sql"].startswith("UPDATE")]
    Token.objects.update(used_at=used - timedelta(minutes=2))
    client.get(ME)
    assert Token.objects.get().used_at >= used


def test_a_token_needs_no_csrf_token_and_a_session_does(
    entry: Participation, ben: User
) -> None:
    address = "/api/v1/tasks/otters/test/submissions/"
    session = Client(enforce_csrf_checks=True)
    session.force_login(ben)
    refused = session.post(address, {"system": "x"})
    assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")
    _token, text = tokens.make(ben, "x", ("submit",))
    program = Client(
        enforce_csrf_checks=True, headers={"Authorization": f"Bearer {text}"}
    )
    assert program.post(address, {"system": "x"}).status_code == 422


def test_a_token_of_one_task_finds_nothing_of_another(
    phase: Phase, entry: Participation, ben: User, ada: User
) -> None:
    sent = scored(phase, entry, both())
    other = create_task(bundle(slug="voles"), None)
    mine, theirs = bearer(ben, task=phase.task), bearer(ben, task=other)
    here = ("/api/v1/tasks/otters/", f"/api/v1/submissions/{sent.pk}/")
    assert [mine.get(one).status_code for one in here] == [200, 200]
    assert [theirs.get(one).status_code for one in here] == [404, 404]
    slugs = [one["slug"] for one in theirs.get("/api/v1/tasks/").json()]
    assert slugs == ["voles"]
    organizes = bearer(ada, "organize", task=phase.task)
    assert organizes.post("/api/v1/tasks/").status_code == 403


def test_a_person_has_only_so_many_tokens(
    ben: User, as_user: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "MOST_PER_PERSON", 1)
    tokens.make(ben, "x")
    answer = as_user(ben).post(PAGE, {"name": "y", "scopes": ["read"], "days": ""})
    assert answer.status_code == 422 and Token.objects.count() == 1


def test_operators_make_a_token_from_the_command_line(ben: User, task: Task) -> None:
    printed = StringIO()
    call_command(
        "make_token",
        "ben@example.org",
        "--scope",
        "submit",
        "--task",
        "otters",
        "--days",
        "0",
        stdout=printed,
    )
    token = Token.objects.get()
    assert tokens.digest(printed.getvalue().strip()) == token.sha256
    assert (token.scopes, token.task, token.expires_at) == (["submit"], task, None)
    with pytest.raises(CommandError, match="nobody"):
        call_command("make_token", "no@example.org")
    with pytest.raises(CommandError, match="no task"):
        call_command("make_token", "ben@example.org", "--task", "voles")
