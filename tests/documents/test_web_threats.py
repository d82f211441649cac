"""What keeps strangers out of accounts, as docs/evidence/threats.md promises."""

import pytest
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.test import Client

from leaderboard.mail import outbox
from leaderboard.teams.models import User

PASSWORD = "a-long-pass-phrase-of-ada"


@pytest.fixture
def ada(db: None) -> User:
    cache.clear()
    return User.objects.create_user("ada@example.org", PASSWORD, name="ada")


def log_in(client: Client, password: str) -> bool:
    client.post("/accounts/login/", {"login": "ada@example.org", "password": password})
    return "_auth_user_id" in client.session


@pytest.mark.parametrize("page", ["/", "/docs/", "/healthz"])
def test_a_forged_host_is_answered_by_nothing(page: str, db: None) -> None:
    answer = Client().get(page, headers={"Host": "evil.example.net"})
    assert answer.status_code == 400


@pytest.mark.parametrize(
    "page", ["/", "/scorers/", "/accounts/login/", "/api/v1/tasks/", "/none/", "/docs/"]
)
def test_every_answer_has_the_headers_that_keep_browsers_in_check(
    page: str, db: None
) -> None:
    headers = Client().get(page).headers
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers


def test_guessing_a_password_is_ended_soon(ada: User) -> None:
    """After some wrong ones even the right one is not looked at."""
    wrong = [log_in(Client(), f"wrong-{number}") for number in range(20)]
    assert not any(wrong) and not log_in(Client(), PASSWORD)
    cache.clear()  # as when the time is over
    assert log_in(Client(), PASSWORD)


def test_a_forgotten_password_tells_nobody_who_is_known(ada: User) -> None:
    told = []
    for email in ("ada@example.org", "nobody@example.org"):
        client = Client()
        answer = client.post("/accounts/password/reset/", {"email": email})
        told.append((answer.status_code, answer.headers.get("Location")))
        told.append(sorted(client.cookies))
    assert told[:2] == told[2:]
    outbox.send()
    assert [letter.to for letter in mail.outbox] == [
        ["ada@example.org"],
        ["nobody@example.org"],
    ]


def test_a_session_from_before_the_log_in_is_worth_nothing(ada: User) -> None:
    client = Client()
    session = client.session
    session["planted"] = True
    session.save()
    planted = session.session_key
    client.cookies[settings.SESSION_COOKIE_NAME] = planted
    assert log_in(client, PASSWORD)
    assert client.session.session_key != planted
    stolen = Client()
    stolen.cookies[settings.SESSION_COOKIE_NAME] = planted
    assert stolen.get("/accounts/tokens/").status_code == 302
