"""Mail about accounts: in the site's own words, one purpose each."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.template.loader import render_to_string
from django.test import Client

from leaderboard.teams.models import User
from tests.campaigns.mail_servers import MailServer, Trouble, mail_server
from tests.extracting import ROOT

pytestmark = pytest.mark.django_db
MAILS = sorted(
    path.name.removesuffix("_message.txt")
    for path in (ROOT / "templates/account/email").glob("*_message.txt")
    if not path.name.startswith("base")
)


def test_a_password_is_reset_by_a_mail_that_says_so(ben: User) -> None:
    Client().post("/accounts/password/reset/", {"email": ben.email})
    (message,) = mail.outbox
    assert message.subject == "[Plumbline] Reset your password"
    assert str(message.body).startswith("Somebody asked for a new password")
    assert "/accounts/password/reset/key/" in message.body


def test_nobody_is_told_on_the_page_that_an_address_is_unknown() -> None:
    Client().post("/accounts/password/reset/", {"email": "no@example.org"})
    (message,) = mail.outbox
    assert message.subject == "[Plumbline] There is no account for this address"
    assert "no@example.org" in message.body


def test_a_changed_password_is_told_with_where_it_was_done(
    ben: User, as_user: Callable[[User], Client]
) -> None:
    ben.set_password("otters-1-swim")
    ben.save()
    fields = {
        "oldpassword": "otters-1-swim",
        "password1": "herons-2-wade",
        "password2": "herons-2-wade",
    }
    as_user(ben).post("/accounts/password/change/", fields)
    (message,) = mail.outbox
    assert message.subject == "[Plumbline] Your password was changed"
    assert "127.0.0.1" in message.body and "reset your password" in message.body


@pytest.fixture
def strict_server(settings: Any) -> Iterator[MailServer]:
    """A mail server that refuses the first mail to each reader."""
    with mail_server(Trouble.GREYLISTS) as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_USE_TLS = False
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"  # as where a server is set
        yield server


def test_a_server_that_refuses_a_mail_is_told_and_asked_again(
    ben: User, strict_server: MailServer
) -> None:
    answers = [
        Client().post("/accounts/password/reset/", {"email": ben.email})
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [503, 302]
    assert answers[0]["Retry-After"] == "300"
    assert "Ask for it again in five minutes" in answers[0].content.decode()
    assert strict_server.received.total() == 1


def test_a_new_account_gets_its_mail_when_its_owner_signs_in(
    strict_server: MailServer,
) -> None:
    fields = {"email": "dora@example.org", "name": "Dora"}
    passwords = {"password1": "herons-2-wade", "password2": "herons-2-wade"}
    client = Client()
    answer = client.post("/accounts/signup/", fields | passwords)
    assert (answer.status_code, strict_server.received.total()) == (503, 0)
    cache.clear()  # what counts mails of the last three minutes
    known = {"login": "dora@example.org", "password": "herons-2-wade"}
    Client().post("/accounts/login/", known)
    assert strict_server.received.total() == 1


def test_what_was_done_is_done_although_no_mail_can_tell_of_it(
    ben: User, as_user: Callable[[User], Client], strict_server: MailServer
) -> None:
    ben.set_password("otters-1-swim")
    ben.save()
    fields = {
        "oldpassword": "otters-1-swim",
        "password1": "herons-2-wade",
        "password2": "herons-2-wade",
    }
    answer = as_user(ben).post("/accounts/password/change/", fields)
    assert answer.status_code == 302 and strict_server.met["refusals"] == 1
    ben.refresh_from_db()
    assert ben.check_password("herons-2-wade")


@pytest.mark.parametrize("name", MAILS)
def test_subjects_are_one_plain_line(name: str) -> None:
    user = User(email="ben@example.org", name="ben")
    subject = render_to_string(f"account/email/{name}_subject.txt").strip()
    assert subject and "\n" not in subject
    assert subject == subject[0].upper() + subject[1:].replace("Email", "email")
    assert render_to_string(f"account/email/{name}_message.txt", {"user": user}).strip()
