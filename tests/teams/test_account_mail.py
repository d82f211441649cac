"""Mail about accounts: in the site's own words, one purpose each."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal import auth
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from leaderboard.mail import outbox
from leaderboard.mail.models import MOST_TRIES, Mail
from leaderboard.operations import retention
from leaderboard.teams.accounts import ACCOUNT
from leaderboard.teams.models import User
from tests.campaigns.mail_servers import MailServer, Trouble, mail_server
from tests.extracting import ROOT
from tests.operations.cells import cells_with

pytestmark = pytest.mark.django_db
TEMPLATES = ROOT / "templates"
MAILS = sorted(
    str(path.relative_to(TEMPLATES)).removesuffix("_message.txt")
    for path in TEMPLATES.glob("*/email/*_message.txt")
    if not path.name.startswith("base")
)


def test_a_password_is_reset_by_a_mail_that_says_so(ben: User) -> None:
    Client().post("/accounts/password/reset/", {"email": ben.email})
    assert outbox.send() == 1
    (message,) = mail.outbox
    assert message.subject == "[Plumbline] Reset your password"
    assert str(message.body).startswith("Somebody asked for a new password")
    assert "/accounts/password/reset/key/" in message.body


def test_nobody_is_told_on_the_page_that_an_address_is_unknown() -> None:
    Client().post("/accounts/password/reset/", {"email": "no@example.org"})
    assert outbox.send() == 1
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
    assert outbox.send() == 1
    (message,) = mail.outbox
    assert message.subject == "[Plumbline] Your password was changed"
    assert "127.0.0.1" in message.body and "reset your password" in message.body
    # In figures that need no look at the reader's own clock.
    assert re.search(r"It was done on .*, \d\d:\d\d UTC from", message.body)


@pytest.fixture(params=[Trouble.NONE])
def server(request: pytest.FixtureRequest, settings: Any) -> Iterator[MailServer]:
    """A mail server with a trouble of its own."""
    with mail_server(request.param) as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_USE_TLS = False
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"  # as where a server is set
        yield server


def having(*troubles: Trouble) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("server", troubles, indirect=True)


@having(*Trouble)
def test_no_page_meets_the_mail_server(
    ben: User, as_user: Callable[[User], Client], server: MailServer
) -> None:
    ben.set_password("otters-1-swim")
    ben.save()
    new = {"password1": "herons-2-wade", "password2": "herons-2-wade"}
    signup = {"email": "dora@example.org", "name": "Dora"} | new
    answers = [
        Client().post("/accounts/password/reset/", {"email": ben.email}),
        Client().post("/accounts/password/reset/", {"email": "no@example.org"}),
        Client().post("/accounts/signup/", signup),
        as_user(ben).post(
            "/accounts/password/change/", {"oldpassword": "otters-1-swim"} | new
        ),
    ]
    assert [answer.status_code for answer in answers] == [302] * 4
    assert (server.met.total(), Mail.objects.filter(kind=ACCOUNT).count()) == (0, 4)
    ben.refresh_from_db()
    assert ben.check_password("herons-2-wade")


@having(Trouble.GREYLISTS)
def test_a_server_that_refuses_a_link_at_first_gets_it_again(
    ben: User, server: MailServer
) -> None:
    ask(ben)
    assert (outbox.send(), server.met["refusals"]) == (0, 1)
    assert outbox.send() == 0, "not before the pause is over"
    again()
    assert outbox.send() == 1
    assert server.received.total() == 1


@having(Trouble.REFUSES)
def test_a_link_that_is_refused_for_good_is_given_up_and_its_text_is_gone(
    ben: User, server: MailServer
) -> None:
    ask(ben)
    for _ in range(MOST_TRIES + 1):
        assert outbox.send() == 0
        again()
    row = Mail.objects.get()
    assert (row.tried, row.sealed) == (MOST_TRIES, "")
    assert server.met["refusals"] == MOST_TRIES


@having(Trouble.HANGS)
def test_a_link_outlives_a_server_that_hangs(
    ben: User, server: MailServer, settings: Any
) -> None:
    settings.EMAIL_TIMEOUT = 0.1
    ask(ben)
    assert outbox.send() == 0
    server.recovered.set()
    again()
    assert outbox.send() == 1


@having(Trouble.NONE, Trouble.REFUSES)
def test_a_link_stands_in_no_table_and_no_log(
    ben: User, server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    ask(ben)
    row = Mail.objects.get()
    link = re.search(r"/reset/key/(\S+)", outbox.KINDS[ACCOUNT].message(row).body)
    assert link, "the test looks for what would work"
    secret = link[1].strip("/")
    assert Client().get(f"/accounts/password/reset/key/{secret}/").status_code == 302
    for _ in range(MOST_TRIES):
        assert cells_with(secret) == cells_with(secret.partition("-")[2]) == set()
        outbox.send()
        again()
    assert Mail.objects.get().sealed == ""
    everywhere = repr(Mail.objects.values().get()) + caplog.text
    assert secret not in everywhere and row.sealed not in everywhere


def test_a_link_is_not_sent_a_day_later_and_leaves_no_row(ben: User) -> None:
    ask(ben)
    Mail.objects.update(at=timezone.now() - timedelta(days=1, seconds=1))
    assert outbox.send() == 0
    assert Mail.objects.get().sealed == ""
    assert retention.clear()["mail"] == 1
    assert not Mail.objects.exists()


def test_another_key_opens_no_text(ben: User, settings: Any) -> None:
    """As after a database was put beside another key."""
    ask(ben)
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another"
    with pytest.raises(outbox.NotWanted, match="key of the site"):
        outbox.KINDS[ACCOUNT].message(Mail.objects.get())
    settings.SECRET_KEY_FALLBACKS = [old]
    assert outbox.KINDS[ACCOUNT].message(Mail.objects.get())
    settings.SECRET_KEY_FALLBACKS = []
    assert outbox.send() == 0
    assert Mail.objects.get().error == "the key of the site changed"


def ask(user: User) -> None:
    Client().post("/accounts/password/reset/", {"email": user.email})


def again() -> None:
    """As if the pause before the next attempt were over."""
    Mail.objects.update(not_before=timezone.now() - timedelta(seconds=1))


@pytest.mark.parametrize("name", MAILS)
def test_subjects_are_one_plain_line(name: str) -> None:
    user = User(email="ben@example.org", name="ben")
    context = {
        "user": user,
        "account": SocialAccount(user=user, provider="github"),
        "timestamp": timezone.now(),
    }
    subject = render_to_string(f"{name}_subject.txt", context).strip()
    assert subject and "\n" not in subject
    _first, *others = subject.split()
    assert [*map(str.lower, others)] == others, "no title case"
    assert render_to_string(f"{name}_message.txt", context).strip()


def test_a_second_factor_that_comes_or_goes_is_told_in_plain_words(
    ben: User, django_capture_on_commit_callbacks: Any
) -> None:
    EmailAddress.objects.create(user=ben, email=ben.email, verified=True, primary=True)
    ben.set_password("rain-on-the-river")
    ben.save()
    client = Client()
    known = {"password": "rain-on-the-river"}
    client.post("/accounts/login/", {"login": ben.email, **known})
    client.post("/accounts/reauthenticate/", known)
    secret = client.get("/accounts/2fa/totp/activate/").context["form"].secret
    *_, counter = auth.yield_hotp_counters_from_time()
    code = auth.format_hotp_value(auth.hotp_value(secret, counter))
    with django_capture_on_commit_callbacks(execute=True):
        client.post("/accounts/2fa/totp/activate/", {"code": code})
        client.post("/accounts/2fa/recovery-codes/generate/")
    client.post("/accounts/2fa/totp/deactivate/")
    outbox.send()
    told = {message.subject: str(message.body) for message in mail.outbox}
    assert [*told] == [
        "[Plumbline] Your second factor was set up",
        "[Plumbline] You have new recovery codes",
        "[Plumbline] Your second factor was removed",
    ]
    assert all("If it was not you" in body for body in told.values())
