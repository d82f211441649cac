"""Accounts: confirmed mail, the page of the account, and the second factor."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core import mail
from django.test import Client

from leaderboard.mail import outbox
from leaderboard.tasks.models import Task
from leaderboard.teams import membership
from leaderboard.teams.models import Team, User

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
NEW = {
    "name": "Dee",
    "email": "dee@example.org",
    "password1": "rain-on-the-river",
    "password2": "rain-on-the-river",
}


@pytest.fixture
def confirming(settings: Any) -> None:
    """As where a mail server is set."""
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


def link_in_mail() -> str:
    outbox.send()
    found = re.search(r"http://testserver(/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def test_nobody_is_in_before_the_address_is_confirmed(
    client: Client, confirming: None
) -> None:
    answer = client.post("/accounts/signup/", NEW, follow=True)
    assert "A link is on its way" in answer.text
    assert client.get("/teams/").status_code == 302
    client.post(link_in_mail())
    assert EmailAddress.objects.get().verified
    again = Client()
    again.post(
        "/accounts/login/", {"login": NEW["email"], "password": NEW["password1"]}
    )
    assert "Dee" in again.get("/accounts/").text


def test_who_signs_up_for_an_invitation_finds_it_after_confirming(
    client: Client, confirming: None, ben: User
) -> None:
    address = membership.address(membership.invite(Team.found("Bens", ben), ben))
    client.get(address)
    client.post("/accounts/signup/", {**NEW, "next": address})
    client.post(link_in_mail())
    client.post(
        "/accounts/login/", {"login": NEW["email"], "password": NEW["password1"]}
    )
    assert address in client.get("/accounts/").text


def test_who_confirms_goes_on_to_where_they_wanted_but_only_in_the_same_browser(
    client: Client, confirming: None, task: Task
) -> None:
    wanted = f"{task.get_absolute_url()}join/"
    client.post("/accounts/signup/", {**NEW, "next": wanted})
    elsewhere = Client()
    assert elsewhere.get(link_in_mail()).status_code == 200
    assert client.post(link_in_mail())["Location"] == wanted
    assert "Join with a team" in client.get(wanted).text
    assert elsewhere.get(wanted).status_code == 302


def test_signing_up_twice_with_an_address_tells_nobody_that_it_is_known(
    client: Client, confirming: None
) -> None:
    known = User.objects.create_user(NEW["email"], "x", name="Dee")
    EmailAddress.objects.create(user=known, email=known.email, verified=True)
    answer = client.post("/accounts/signup/", NEW, follow=True)
    assert "A link is on its way" in answer.text
    assert User.objects.count() == 1


def test_the_page_of_the_account_leads_everywhere(ben: User, as_user: Login) -> None:
    team = Team.found("Bens", ben)
    text = as_user(ben).get("/accounts/").text
    for address in ("name/", "email/", "password/change/", "2fa/", "messages/"):
        assert f'href="/accounts/{address}"' in text
    assert f'href="/teams/{team.pk}/"' in text
    assert "/static/mfa/" not in text


def test_a_person_changes_the_own_name(ben: User, as_user: Login) -> None:
    client = as_user(ben)
    client.post("/accounts/name/", {"name": "Ben  Brook"})
    ben.refresh_from_db()
    assert ben.name == "Ben Brook"
    answer = client.post("/accounts/name/", {"name": "B\u200ben"})
    assert answer.status_code == 422 and "cannot be seen" in answer.text


@pytest.fixture
def asking(settings: Any) -> None:
    settings.TWO_FACTOR = "organizers"


def test_organizers_set_up_a_second_factor_before_anything_else(
    task: Task, ada: User, ben: User, as_user: Login, asking: None
) -> None:
    client = as_user(ada)
    for address in ("/", "/tasks/otters/organize/", "/accounts/tokens/"):
        assert client.get(address).url == "/accounts/2fa/totp/activate/"
    assert client.get("/api/v1/tasks/").status_code == 403
    assert client.get("/accounts/").status_code == 200
    assert as_user(ben).get("/tasks/otters/").status_code == 200
    TOTP.activate(ada, generate_totp_secret())
    assert client.get("/tasks/otters/organize/").status_code == 200


def test_administrators_are_asked_too_and_nobody_where_it_is_off(
    ben: User, as_user: Login, settings: Any
) -> None:
    User.objects.filter(pk=ben.pk).update(is_superuser=True)
    ben.refresh_from_db()
    assert as_user(ben).get("/").status_code == 200
    settings.TWO_FACTOR = "organizers"
    assert as_user(ben).get("/").status_code == 302


@pytest.mark.parametrize("action", ["leave", "nothing", ""])
def test_a_slip_of_the_finger_leaves_no_team(
    ben: User, as_user: Login, action: str
) -> None:
    team = Team.found("Bens", ben)
    as_user(ben).post(f"/teams/{team.pk}/", {"action": action})
    assert team.members.get() == ben


@pytest.mark.parametrize("staff", [False, True])
def test_the_account_page_leads_operators_to_the_queue(
    staff: bool, ben: User, as_user: Login
) -> None:
    User.objects.filter(pk=ben.pk).update(is_staff=staff)
    page = as_user(ben).get("/accounts/").content.decode()
    assert ('href="/admin/queue/"' in page) == staff


def test_a_password_that_is_no_good_and_differs_is_told_both(client: Client) -> None:
    wrong = {**NEW, "password1": "12", "password2": "13"}
    page = client.post("/accounts/signup/", wrong)
    text = page.content.decode()
    assert "This password is too short" in text
    assert "This is not the password above." in text


def test_an_address_offers_what_can_be_done_with_it(ben: User, as_user: Login) -> None:
    """Sending again did nothing for a confirmed one, and said so with no word."""
    client, page = as_user(ben), "/accounts/email/"
    own = EmailAddress.objects.create(user=ben, email=ben.email, primary=True)
    assert 'name="action_send"' in client.get(page).text
    own.verified = True
    own.save()
    other = EmailAddress.objects.create(user=ben, email="b@example.org")
    text = client.get(page).text
    (lone,) = re.findall(r'name="email" value="([^"]*)"', text)
    assert lone == other.email and 'name="action_primary"' not in text
    client.post(page, {"email": other.email, "action_send": ""})
    assert outbox.send() == 1
    other.verified = True
    other.save()
    assert 'name="action_send"' not in client.get(page).text
    client.post(page, {"email": other.email, "action_primary": ""})
    ben.refresh_from_db()
    assert ben.email == other.email
    client.post(page, {"email": own.email, "action_remove": ""})
    assert "action_remove" not in client.get(page).text
    assert list(EmailAddress.objects.all()) == [other]
