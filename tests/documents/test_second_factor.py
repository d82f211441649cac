"""No way around the second factor, and no reset link that leads elsewhere."""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core import mail
from django.core.cache import cache
from django.test import Client

from leaderboard.mail import outbox
from leaderboard.teams.models import User

PASSWORD, NEW = "a-long-pass-phrase-of-ada", "another-pass-phrase-of-ada"
MAIL = "ada@example.org"
PRIVATE = (
    "/teams/",
    "/accounts/tokens/",
    "/accounts/data/",
    "/accounts/data/all.json",
    "/tasks/new/",
    "/accounts/2fa/",
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/2fa/recovery-codes/",
    "/accounts/2fa/totp/deactivate/",
)


@pytest.fixture
def ada(db: None) -> User:
    """She has a second factor."""
    cache.clear()
    user = User.objects.create_user(MAIL, PASSWORD, name="ada")
    EmailAddress.objects.create(user=user, email=MAIL, verified=True, primary=True)
    TOTP.activate(user, generate_totp_secret())
    return user


def is_in(client: Client) -> bool:
    """Signed in, by its session or by what pages and the API say."""
    pages = [client.get(page).status_code for page in PRIVATE]
    programs = client.get("/api/v1/me/").status_code
    return "_auth_user_id" in client.session or 200 in (*pages, programs)


def after_password(client: Client, password: str = PASSWORD) -> Any:
    return client.post("/accounts/login/", {"login": MAIL, "password": password})


def test_a_password_alone_opens_no_page_and_no_api(ada: User) -> None:
    client = Client()
    answer = after_password(client)
    assert answer["Location"].startswith("/accounts/2fa/authenticate/")
    assert not is_in(client)
    assert client.post("/accounts/2fa/totp/deactivate/").status_code == 302
    assert not is_in(client)
    assert TOTP(ada.authenticator_set.get()).instance.pk


def test_the_second_factor_lets_in_under_another_session(ada: User) -> None:
    client = Client()
    after_password(client)
    before = client.session.session_key
    code = recovery(ada)
    client.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert not is_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": code})
    assert is_in(client) and client.session.session_key != before


def recovery(user: User) -> str:
    from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes

    return str(RecoveryCodes.activate(user).get_unused_codes()[0])


def test_a_new_password_by_mail_does_not_replace_the_second_factor(ada: User) -> None:
    client = Client()
    client.post("/accounts/password/reset/", {"email": MAIL})
    page = client.get(link_in_mail(), follow=True)
    path = page.request["PATH_INFO"]
    client.post(path, {"password1": NEW, "password2": NEW})
    ada.refresh_from_db()
    assert ada.check_password(NEW) and not is_in(client)
    after_password(client, NEW)
    assert not is_in(client)


def test_confirming_an_address_does_not_replace_the_second_factor(
    ada: User, settings: Any
) -> None:
    """Neither in the browser that waits for the code nor in another one."""
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    address = ada.emailaddress_set.get()
    waiting = Client()
    after_password(waiting)
    for client in (waiting, Client()):
        address.verified = False
        address.save()
        key = EmailConfirmationHMAC(address).key
        client.post(f"/accounts/confirm-email/{key}/")
        address.refresh_from_db()
        assert address.verified
        assert not is_in(client)


def link_in_mail() -> str:
    outbox.send()
    found = re.search(r"https?://\S+", str(mail.outbox[-1].body))
    assert found
    return urlsplit(found[0]).path


FORGED: tuple[dict[str, str], ...] = (
    {"Host": "evil.example.net"},
    {"Host": "plumbline.example.org:8099"},
    {"Host": "other.example.org"},
    {"X-Forwarded-Host": "evil.example.net"},
    {"X-Host": "evil.example.net"},
    {"X-Forwarded-Server": "evil.example.net"},
    {"X-Original-Host": "evil.example.net"},
    {"Forwarded": "host=evil.example.net;proto=https"},
    {"X-Forwarded-Port": "8099"},
    {"Origin": "https://evil.example.net"},
    {"Referer": "https://evil.example.net/"},
)


@pytest.mark.parametrize("headers", FORGED, ids=str)
@pytest.mark.parametrize("page", ["password/reset", "signup"])
def test_mail_of_accounts_leads_to_this_site_alone(
    ada: User, settings: Any, headers: dict[str, str], page: str
) -> None:
    settings.LOCAL = False
    settings.SITE_URL = "https://plumbline.example.org"
    settings.ALLOWED_HOSTS = ["plumbline.example.org", "other.example.org"]
    fields = {"email": MAIL, "name": "Ada", "password1": NEW, "password2": NEW}
    client = Client(headers={"Host": "plumbline.example.org", **headers})
    for email in (MAIL, "dee@example.org"):
        client.post(f"/accounts/{page}/", {**fields, "email": email})
    outbox.send()
    for message in mail.outbox:
        text = f"{message.subject}\n{message.body}"
        links = re.findall(r"https?://[^/\s]+", text)
        assert set(links) == {"https://plumbline.example.org"}
        assert not re.search(r"evil|8099|other\.example", text)
    assert mail.outbox or headers.get("Host") == "evil.example.net"
