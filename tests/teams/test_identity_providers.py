"""Signing in with ORCID, GitHub or an institution, at a provider that answers."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.socialaccount.models import SocialAccount, SocialToken
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import Client

from leaderboard.mail import outbox
from leaderboard.teams import identity_providers
from leaderboard.teams.models import User
from tests.teams.identity_server import CLIENT, SECRET, IdentityServer

Login = Callable[[User], Client]
DOOR = "/accounts/oidc/institution/login/"
ELSEWHERE = "/accounts/3rdparty/"
DEE = {"sub": "0042", "name": "Dee  Elm", "email": "dee@elmhaven.example"}


@pytest.fixture
def institution(settings: Any) -> Iterator[IdentityServer]:
    """A provider that knows Dee, and a site that offers it, twice."""
    server = IdentityServer()
    server.person = {**DEE, "email_verified": True}
    another = {
        name.replace("OIDC", "OIDC_2"): value
        for name, value in server.environment.items()
    }
    offer(settings, server.environment | another)
    yield server
    server.stop()


def offer(settings: Any, environment: dict[str, str]) -> None:
    providers = identity_providers.from_environment(environment)
    settings.IDENTITY_PROVIDERS = providers
    settings.SOCIALACCOUNT_PROVIDERS = identity_providers.as_settings(providers)
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.SOCIALACCOUNT_EMAIL_VERIFICATION = "mandatory"


def come_back(client: Client, door: str = DOOR, process: str = "login") -> HttpResponse:
    """Go there by the button, and come back with the code."""
    away = client.post(f"{door}?process={process}")
    assert away.status_code == 302
    back = httpx.get(away["Location"]).headers["Location"]
    return client.get(back.removeprefix("http://testserver"), follow=True)


def signed_in(client: Client) -> bool:
    return client.get("/accounts/").status_code == 200


@pytest.mark.django_db
@pytest.mark.thorough
def test_a_newcomer_gives_a_name_and_confirms_the_address_and_later_just_signs_in(
    institution: IdentityServer, client: Client
) -> None:
    assert "Continue with University of Elmhaven" in client.get("/accounts/login/").text
    form = come_back(client)
    assert 'value="Dee Elm"' in form.text and DEE["email"] in form.text
    sent = client.post(
        f"{ELSEWHERE}signup/", {"name": "Dee", "email": DEE["email"]}, follow=True
    )
    assert "A link is on its way" in sent.text
    assert not signed_in(client)  # whatever the provider says of the address
    outbox.send()
    link = re.search(r"http://testserver(/\S+)", str(mail.outbox[-1].body))
    assert link
    client.post(link[1])
    again = Client()
    come_back(again)
    assert signed_in(again)
    elsewhere = Client()
    form = come_back(elsewhere, DOOR.replace("institution", "institution-2"))
    assert DEE["email"] in form.text
    assert not signed_in(elsewhere)  # the same number at another institution
    user = User.objects.get()
    assert (user.name, user.has_usable_password()) == ("Dee", False)
    kept = SocialAccount.objects.get()
    assert (kept.provider, kept.uid, kept.extra_data) == ("institution", "0042", {})
    assert not SocialToken.objects.exists()
    assert institution.refused == []


@pytest.mark.django_db
@pytest.mark.thorough
def test_an_address_that_a_provider_vouches_for_opens_nobody_s_account(
    institution: IdentityServer, client: Client, ada: User
) -> None:
    EmailAddress.objects.get_or_create(user=ada, email=ada.email, verified=True)
    institution.person["email"] = ada.email
    come_back(client)
    assert not signed_in(client)
    sent = client.post(
        f"{ELSEWHERE}signup/", {"name": "Ada", "email": ada.email}, follow=True
    )
    assert "A link is on its way" in sent.text  # as to anybody
    outbox.send()
    assert "has an account already" in str(mail.outbox[-1].body)
    assert not signed_in(client)
    assert not SocialAccount.objects.exists()


@pytest.mark.django_db
@pytest.mark.thorough
def test_whoever_is_signed_in_connects_an_account_and_is_asked_for_the_second_factor(
    institution: IdentityServer, as_user: Login, ada: User
) -> None:
    inside = as_user(ada)
    assert "No other account is connected" in inside.get(ELSEWHERE).text
    ada.set_password("rain-on-the-river")
    ada.save()
    EmailAddress.objects.update_or_create(
        user=ada, email=ada.email, defaults={"verified": True, "primary": True}
    )
    inside = Client()
    password = {"password": "rain-on-the-river"}
    inside.post("/accounts/login/", {"login": ada.email, **password})
    come_back(inside, DOOR, "connect")
    assert not SocialAccount.objects.exists()  # a session alone is not enough
    proven = inside.post("/accounts/reauthenticate/", password, follow=True)
    assert "University of Elmhaven is connected" in proven.text
    outbox.send()
    assert "University of Elmhaven was connected" in mail.outbox[-1].subject
    assert "0042" in inside.get(ELSEWHERE).text
    TOTP.activate(ada, generate_totp_secret())
    outside = Client()
    come_back(outside)
    assert not signed_in(outside)
    assert "code" in outside.get("/accounts/2fa/authenticate/").text
    number = SocialAccount.objects.get().pk
    gone = inside.post(ELSEWHERE, {"account": number}, follow=True)
    assert "The account is disconnected" in gone.text
    assert not SocialAccount.objects.exists()


@pytest.mark.django_db
@pytest.mark.thorough
def test_what_does_not_belong_to_a_beginning_here_is_refused_in_words(
    institution: IdentityServer, client: Client
) -> None:
    away = client.post(f"{DOOR}?process=login")["Location"]
    back = httpx.get(away).headers["Location"].removeprefix("http://testserver")
    for path in (
        back.replace("state=", "state=x"),
        back.replace("code=", "code=x"),
        f"{DOOR}callback/?error=server_error",
    ):
        answer = client.get(path)
        assert "Signing in did not work" in answer.text
        assert answer.status_code < 500
    nonces = []
    for wrong in ({"nonce": "another"}, {"sub": "7"}):
        institution.claims = wrong
        away = client.post(f"{DOOR}?process=login")["Location"]
        nonces += parse_qs(urlsplit(away).query)["nonce"]
        path = httpx.get(away).headers["Location"].removeprefix("http://testserver")
        assert "Signing in did not work" in client.get(path).text
    assert len({*nonces}) == 2
    somebody = Client().get(back)  # the state is another browser's
    assert "Signing in did not work" in somebody.text
    assert not User.objects.exists()


@pytest.mark.django_db
@pytest.mark.thorough
def test_a_provider_that_is_away_or_answers_nonsense_gets_words_and_no_500(
    institution: IdentityServer, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    away = client.post(f"{DOOR}?process=login")["Location"]
    back = httpx.get(away).headers["Location"].removeprefix("http://testserver")
    institution.person = {"unexpected": "canary-claim"}
    answer = client.get(back)
    assert "Signing in did not work" in answer.text
    institution.stop()
    answer = client.post(f"{DOOR}?process=login")
    assert (answer.status_code, "could not be reached" in answer.text) == (503, True)
    assert "canary-claim" not in caplog.text


@pytest.mark.django_db
@pytest.mark.thorough
def test_github_is_asked_in_its_own_way(
    institution: IdentityServer,
    client: Client,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = institution.url
    institution.person = {"id": 7, "login": "dee", "name": None, "mail": "d@e.example"}
    offer(
        settings,
        {
            "PLUMBLINE_GITHUB_CLIENT_ID": CLIENT,
            "PLUMBLINE_GITHUB_SECRET": SECRET,
            "PLUMBLINE_GITHUB_URL": url,
        },
    )
    for name, path in (
        ("access_token_url", "/login/oauth/access_token"),
        ("authorize_url", "/login/oauth/authorize"),
        ("profile_url", "/api/v3/user"),
        ("emails_url", "/api/v3/user/emails"),
    ):
        monkeypatch.setattr(GitHubOAuth2Adapter, name, url + path)
    form = come_back(client, "/accounts/github/login/")
    assert "d@e.example" in form.text
    client.post(f"{ELSEWHERE}signup/", {"name": "Dee", "email": "d@e.example"})
    assert SocialAccount.objects.get().uid == "7"
    assert client.post(DOOR).status_code == 404


@pytest.mark.django_db
def test_where_none_is_set_there_is_no_button_and_no_page(client: Client) -> None:
    assert "another account" not in client.get("/accounts/login/").text
    for path in (ELSEWHERE, DOOR, "/accounts/github/login/"):
        assert client.get(path).status_code == 404


def test_the_environment_names_providers_and_where_their_pages_lie() -> None:
    (orcid,) = identity_providers.from_environment(
        {"PLUMBLINE_ORCID_CLIENT_ID": "APP-1", "PLUMBLINE_ORCID_SECRET": "s"}
    )
    assert (orcid.name, orcid.origins) == ("ORCID", ("https://orcid.org",))
    assert orcid.login_url == "/accounts/oidc/orcid/login/"
    (one,) = identity_providers.from_environment(
        {
            "PLUMBLINE_OIDC_CLIENT_ID": "c",
            "PLUMBLINE_OIDC_SECRET": "s",
            "PLUMBLINE_OIDC_NAME": "Elmhaven",
            "PLUMBLINE_OIDC_URL": "https://id.elmhaven.example/realms/all/",
            "PLUMBLINE_OIDC_ORIGINS": "https://login.elmhaven.example",
        }
    )
    assert one.origins == (
        "https://id.elmhaven.example",
        "https://login.elmhaven.example",
    )
    assert identity_providers.from_environment({}) == ()


def test_further_institutions_have_numbers() -> None:
    found = identity_providers.from_environment(
        {
            f"PLUMBLINE_OIDC{number}_{part}": f"https://e{number}.example"
            for number in ("_10", "_2", "")
            for part in identity_providers.NEEDED
        }
    )
    assert [(one.id, one.url) for one in found] == [
        ("institution", "https://e.example"),
        ("institution-2", "https://e_2.example"),
        ("institution-10", "https://e_10.example"),
    ]
    with pytest.raises(ImproperlyConfigured, match="OIDC_2_CLIENTID is no setting"):
        identity_providers.from_environment({"PLUMBLINE_OIDC_2_CLIENTID": "c"})


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"SECRET": ""}, "PLUMBLINE_OIDC_SECRET"),
        ({"URL": ""}, "PLUMBLINE_OIDC_URL"),
        ({"URL": "http://id.elmhaven.example"}, "must begin with https://"),
        ({"NAME": ""}, "PLUMBLINE_OIDC_2_NAME"),
    ],
)
def test_a_provider_of_which_a_part_is_missing_stops_the_start(
    changed: dict[str, str], said: str
) -> None:
    parts = {"CLIENT_ID": "c", "SECRET": "s", "NAME": "E", "URL": "https://e.example"}
    number = "_2" if "_2_" in said else ""
    changes = (parts | changed).items()
    given = {f"PLUMBLINE_OIDC{number}_{name}": v for name, v in changes}
    with pytest.raises(ImproperlyConfigured, match=said):
        identity_providers.from_environment(given)
