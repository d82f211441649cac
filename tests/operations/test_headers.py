"""What every answer says to browsers, and what a cookie is good for."""

import pytest
from django.test import Client

from leaderboard.teams.models import User

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/", "/accounts/login/", "/api/v1/tasks/", "/x"])
def test_nothing_foreign_runs_frames_or_learns_where_a_reader_was(address: str) -> None:
    headers = Client().get(address).headers
    rules = dict(
        (words.split()[0], words.split()[1:])
        for words in headers["Content-Security-Policy"].split(";")
        if words.strip()
    )
    assert rules["default-src"] == ["'self'"] and "script-src" not in rules
    assert rules["frame-ancestors"] == rules["object-src"] == ["'none'"]
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_scripts_cannot_read_the_session_and_other_sites_cannot_send_it(
    ben: User,
) -> None:
    client = Client()
    answer = client.post("/accounts/login/", {"login": ben.email, "password": "x"})
    cookie = answer.cookies["sessionid"]
    assert cookie["httponly"] and cookie["samesite"] == "Lax"
    before = cookie.value
    client.logout()
    client.cookies["sessionid"] = before
    assert client.get("/accounts/").status_code == 302, "ended on the server too"


def test_a_forged_form_changes_nothing(ben: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ben)
    assert client.post("/accounts/name/", {"name": "Forged"}).status_code == 403
    ben.refresh_from_db()
    assert ben.name == "ben"


@pytest.mark.parametrize("address", ["/", "/accounts/", "/tasks/", "/x"])
def test_no_browser_keeps_what_somebody_who_is_signed_in_was_shown(
    address: str, ben: User
) -> None:
    client = Client()
    client.force_login(ben)
    assert client.get(address)["Cache-Control"] == "private, no-store"
    assert "no-store" not in Client().get(address).headers.get("Cache-Control", "")
