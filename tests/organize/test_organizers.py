"""Roles: invited by a link, changed and taken, and one owner always left."""

import re
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from leaderboard.mail import outbox
from leaderboard.tasks import organizers
from leaderboard.tasks.models import Invitation, Organizer, Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from tests.organize.crowd import organizing, person

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
PAGE = "/tasks/otters/organize/organizers/"


def link() -> str:
    """The path of the invitation in the last mail."""
    outbox.send()
    found = re.search(r"https?://[^/]+(/invitations/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


@pytest.fixture
def invited(task: Task, ada: User, as_user: Login) -> str:
    """The path of an invitation for dee, who has no account yet."""
    fields = {"email": "Dee@example.org", "role": "editor"}
    assert as_user(ada).post(PAGE, fields).url == PAGE
    return link()


def test_a_new_account_accepts_the_invitation_of_its_mail(
    invited: str, task: Task, as_user: Login
) -> None:
    dee = person("dee@example.org")
    assert "Accept" in as_user(dee).get(invited).content.decode()
    assert as_user(dee).post(invited).url == "/tasks/otters/organize/"
    assert Organizer.objects.get(task=task, user=dee).role == Organizer.Role.EDITOR


@pytest.mark.parametrize(
    ("language", "subject"),
    [("ru", "Приглашение"), ("", "Invitation"), (None, "Einladung")],
)
def test_an_invitation_is_in_the_language_of_whoever_has_the_address(
    task: Task, ada: User, language: str | None, subject: str
) -> None:
    """Of who invites where nobody has an account with it."""
    User.objects.filter(pk=ada.pk).update(language="de")
    if language is not None:
        person("dee@example.org")
        User.objects.filter(email="dee@example.org").update(language=language)
    organizers.invite(task, "Dee@example.org", Organizer.Role.EDITOR, ada)
    outbox.send()
    assert subject in mail.outbox[-1].subject


def test_the_link_brings_visitors_to_the_door_first(
    invited: str, client: Client
) -> None:
    assert client.get(invited).url == f"/accounts/login/?next={quote(invited)}"


def test_an_invitation_is_of_no_use_to_another_account(
    invited: str, task: Task, cy: User, as_user: Login
) -> None:
    page = as_user(cy).get(invited).content.decode()
    assert "This invitation is for dee@example.org" in page
    as_user(cy).post(invited)
    assert not Organizer.objects.filter(task=task, user=cy).exists()


def test_a_second_confirmed_address_of_an_account_counts(
    invited: str, task: Task, cy: User, as_user: Login
) -> None:
    cy.emailaddress_set.create(email="dee@example.org", verified=True)
    as_user(cy).post(invited)
    assert Organizer.objects.filter(task=task, user=cy).exists()


def test_an_invitation_works_once(
    invited: str, task: Task, ada: User, as_user: Login
) -> None:
    dee = person("dee@example.org")
    as_user(dee).post(invited)
    organizers.remove(Organizer.objects.get(task=task, user=dee))
    assert as_user(dee).post(invited).status_code == 410
    assert not Organizer.objects.filter(task=task, user=dee).exists()


def test_the_site_does_not_write_to_any_number_of_strangers(
    task: Task, ada: User
) -> None:
    for n in range(organizers.MOST_OPEN):
        organizers.invite(task, f"p{n}@example.org", "editor", ada)
    organizers.invite(task, "P1@example.org", "owner", ada)  # replaces the open one
    with pytest.raises(Refusal, match="take some back"):
        organizers.invite(task, "another@example.org", "editor", ada)


@pytest.mark.parametrize("end", ["revoked", "old", "replaced"])
def test_an_invitation_ends(
    invited: str, task: Task, ada: User, as_user: Login, end: str
) -> None:
    made = Invitation.objects.get()
    if end == "revoked":
        as_user(ada).post(f"{PAGE}invitations/{made.pk}/")
    elif end == "old":
        Invitation.objects.update(at=timezone.now() - timedelta(days=15))
    else:
        organizers.invite(task, "dee@example.org", "owner", ada)
    assert as_user(person("dee@example.org")).post(invited).status_code == 410
    assert Organizer.objects.count() == 1


@pytest.mark.parametrize("token", ["1", "1:xx", "MQ:1abc:def"])
def test_a_link_we_did_not_make_leads_nowhere(
    token: str, cy: User, as_user: Login
) -> None:
    assert as_user(cy).get(f"/invitations/{token}/").status_code == 404


def test_who_organizes_already_is_not_invited(
    task: Task, ada: User, as_user: Login
) -> None:
    answer = as_user(ada).post(PAGE, {"email": ada.email, "role": "reviewer"})
    assert answer.status_code == 422
    assert "organizes this task already" in answer.content.decode()


def test_the_page_says_nothing_of_whether_an_address_has_an_account(
    task: Task, ada: User, cy: User, as_user: Login
) -> None:
    pages = set()
    for address in (cy.email, "nobody@example.org"):
        fields = {"email": address, "role": "reviewer"}
        page = as_user(ada).post(PAGE, fields, follow=True).content.decode()
        outbox.send()
        organizers.revoke(Invitation.objects.get(email=address))
        page = re.sub(r'"[A-Za-z0-9]{64}"|/invitations/\S+|\d+', "", page)
        pages.add(page.replace(address, ""))
    assert len(pages) == 1
    assert len(mail.outbox) == 2


def test_the_last_owner_can_neither_go_nor_step_down(
    task: Task, ada: User, as_user: Login
) -> None:
    own = Organizer.objects.get()
    for fields in ({"remove": "1"}, {"role": "editor"}):
        page = as_user(ada).post(f"{PAGE}{own.pk}/", fields, follow=True)
        assert "A task needs an owner" in page.content.decode()
        assert page.redirect_chain[-1][0] == PAGE
    assert Organizer.objects.get().role == Organizer.Role.OWNER


def test_an_owner_may_go_when_another_stays(
    task: Task, ada: User, as_user: Login
) -> None:
    other = organizing(task, "o@example.org", Organizer.Role.OWNER)
    mine = Organizer.objects.get(user=ada)
    page, client = f"{PAGE}{mine.pk}/", as_user(ada)
    theirs = Organizer.objects.get(user=other).pk
    told = client.post(f"{PAGE}{theirs}/", {"role": "owner"}, follow=True)
    assert f"{other} has another role now." in told.text
    told = client.post(page, {"remove": "1"}, follow=True)
    assert f"{ada} does not organize this task any more." in told.text
    assert Organizer.objects.get().user == other


def test_a_role_of_another_task_is_not_found(
    task: Task, ada: User, as_user: Login
) -> None:
    other = Task.objects.create(
        slug="other", title="Other", scorer_name="attachment", headline="las"
    )
    theirs = Organizer.objects.create(task=other, user=ada)
    answer = as_user(ada).post(f"{PAGE}{theirs.pk}/", {"remove": "1"})
    assert answer.status_code == 404
