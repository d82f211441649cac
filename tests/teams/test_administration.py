"""Accounts in the administration of the site: addresses, and second factors."""

from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from leaderboard.teams.models import Team, User, name_key

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]


@pytest.fixture
def administrator(ada: User, as_user: Login) -> Client:
    User.objects.filter(pk=ada.pk).update(is_staff=True, is_superuser=True)
    ada.refresh_from_db()
    return as_user(ada)


def changed(administrator: Client, person: User, email: str) -> str:
    """The answer to a new address of a person."""
    day = {"date_joined_0": "2026-01-01", "date_joined_1": "12:00"}
    page = f"/admin/teams/user/{person.pk}/change/"
    return administrator.post(page, {**day, "email": email}, follow=True).text


def test_a_changed_address_is_the_primary_one_and_what_else_signs_in_is_told(
    administrator: Client, ben: User
) -> None:
    own = EmailAddress.objects.create(user=ben, email=ben.email, primary=True)
    page = changed(administrator, ben, "Ben.New@example.org")
    ben.refresh_from_db()
    assert ben.email == EmailAddress.objects.get(primary=True).email
    assert ben.email == "ben.new@example.org"
    assert f"can still sign in with {own.email}" in page


def test_the_address_of_another_is_refused_however_it_is_written(
    administrator: Client, ben: User, cy: User
) -> None:
    page = changed(administrator, ben, cy.email.upper())
    assert "already exists" in page
    ben.refresh_from_db()
    assert ben.email != cy.email.upper()


def test_which_address_is_primary_is_changed_at_the_account_alone(
    administrator: Client, ben: User
) -> None:
    own = EmailAddress.objects.create(user=ben, email=ben.email)
    page = f"/admin/account/emailaddress/{own.pk}/change/"
    assert 'name="primary"' not in administrator.get(page).text


def test_a_second_factor_is_deleted_and_its_secret_read_by_nobody(
    administrator: Client, ben: User
) -> None:
    secret = generate_totp_secret()
    TOTP.activate(ben, secret)
    pages = "/admin/mfa/authenticator/"
    page = f"{pages}{Authenticator.objects.get().pk}/"
    assert secret not in administrator.get(f"{page}change/").text
    assert administrator.get(f"{pages}add/").status_code == 403
    administrator.post(f"{page}delete/", {"post": "yes"})
    assert not Authenticator.objects.exists()


def test_a_team_is_named_by_the_rules_of_all_teams(
    administrator: Client, ben: User
) -> None:
    herons = Team.found("Herons", ben)
    form = {
        "affiliations": "",
        "created_at_0": "2026-01-01",
        "created_at_1": "12:00",
        "memberships-TOTAL_FORMS": "0",
        "memberships-INITIAL_FORMS": "0",
    }
    for name in ("Egrets", "Storks", "egrets", "Anonymous 7"):
        administrator.post("/admin/teams/team/add/", {**form, "name": name})
    page = f"/admin/teams/team/{herons.pk}/change/"
    administrator.post(page, {**form, "name": "STORKS"})
    assert set(Team.objects.values_list("name", "key")) == {
        ("Herons", "herons"),
        ("Egrets", "egrets"),
        ("Storks", "storks"),
    }
    administrator.post(page, {**form, "name": "Grey  Herons"})
    herons.refresh_from_db()
    assert (herons.name, herons.key) == ("Grey Herons", name_key("Grey Herons"))
