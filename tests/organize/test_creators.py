"""Who may create tasks: everybody, some mail domains, those who asked and were let."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from leaderboard.api import tokens
from leaderboard.api.models import Scope
from leaderboard.mail import outbox
from leaderboard.mail.models import Mail
from leaderboard.tasks.models import Task
from leaderboard.teams.creators import answer, ask, grant, may_create_tasks
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
NEW, REQUESTS = "/tasks/new/", "/admin/requests/"


@pytest.mark.thorough
def test_whoever_may_not_asks_and_is_answered_by_an_administrator(
    settings: Any, as_user: Login, ada: User, admin_client: Client
) -> None:
    settings.TASK_CREATORS, settings.OPERATORS = "asked", ["ops@example.org"]
    client = as_user(ada)
    page = client.get(NEW)
    assert "What would you like to organize?" in page.text
    assert 'name="bundle"' not in page.text
    assert client.get(f"{NEW}form/?scorer=attachment").headers["Location"] == NEW
    settings.EMAIL_BACKEND = "tests.organize.test_creators.NoServer"
    for _click in range(2):
        told = client.post(NEW, {"about": "Signs of beavers"}, follow=True)
        assert "Your request waits for an answer" in told.text
        assert outbox.send() == 0
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    later()
    call_command("post")
    (asked,) = mail.outbox
    assert (asked.to, asked.reply_to) == (["ops@example.org"], [ada.email])
    assert "Signs of beavers" in asked.body
    assert "requests to create tasks (1)" in admin_client.get("/accounts/").text
    assert "Signs of beavers" in admin_client.get(REQUESTS).text
    pk = ada.creation_requests.get().pk
    no = {"request": pk, "answer": "declined", "reason": ""}
    refused = admin_client.post(REQUESTS, no)
    assert (refused.status_code, "Say why" in refused.text) == (422, True)
    for reason in ("Beavers are taken.", "Again?"):
        admin_client.post(REQUESTS, no | {"reason": reason})
    yes = {"request": pk, "answer": "granted"}
    assert "answered already" in admin_client.post(REQUESTS, yes, follow=True).text
    assert outbox.send() == 1
    assert "Beavers are taken." in mail.outbox[-1].body
    assert "Beavers are taken." in client.get(NEW).text
    client.post(NEW, {"about": "Voles, then"})
    yes["request"] = ada.creation_requests.get(answer="").pk
    admin_client.post(REQUESTS, yes)
    assert outbox.send() == 1, "what was answered is no news to operators"
    assert mail.outbox[-1].to == [ada.email]
    assert 'name="bundle"' in client.get(NEW).text
    chosen = {"action": "let_create_tasks", "_selected_action": [ada.pk]}
    told = admin_client.post("/admin/teams/user/", chosen, follow=True)
    assert "may create tasks already" in told.text
    said = LogEntry.objects.values_list("change_message", flat=True)
    assert sorted(said) == [
        "May create tasks.",
        "The request to create tasks was declined.",
    ]


def test_what_was_granted_is_taken_back(
    settings: Any, ada: User, admin_client: Client
) -> None:
    settings.TASK_CREATORS = "asked"
    grant(ada, User.objects.get(is_superuser=True))
    users = "/admin/teams/user/"
    chosen = {"action": "let_create_no_tasks", "_selected_action": [ada.pk]}
    said = admin_client.post(users, chosen, follow=True).text
    assert "Ada may not create tasks any more." in said
    assert not may_create_tasks(User.objects.get(pk=ada.pk))
    assert len(LogEntry.objects.filter(change_message__contains="any more")) == 1
    for group in ("staff", "group", "everybody"):
        settings.TASK_CREATORS = "everybody" if group == "everybody" else "asked"
        ada.groups.clear()
        User.objects.filter(pk=ada.pk).update(is_staff=group == "staff")
        if group == "group":
            editors = Group.objects.create(name="Editors")
            editors.permissions.add(Permission.objects.get(codename="add_task"))
            ada.groups.add(editors)
        said = admin_client.post(users, chosen, follow=True).text
        assert "may still create tasks" in said, group


def test_the_administration_names_the_command_that_forgets_a_person(
    ada: User, admin_client: Client
) -> None:
    """Deleting a row would take tasks' owners with it, or end without a way on."""
    page = admin_client.get(f"/admin/teams/user/{ada.pk}/change/").text
    assert f"plumbline-site forget {ada.email}" in page
    assert "/delete/" not in page
    assert admin_client.get("/admin/teams/user/add/").status_code == 200
    assert admin_client.post(f"/admin/teams/user/{ada.pk}/delete/").status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [ada.pk], "post": "yes"}
    admin_client.post("/admin/teams/user/", chosen, follow=True)
    assert User.objects.filter(pk=ada.pk).exists()


def later() -> None:
    Mail.objects.update(not_before=timezone.now())


def test_three_declined_requests_a_day_are_enough(ada: User) -> None:
    for _ in range(3):
        answer(ask(ada, "Signs of beavers"), "declined", ada, "Taken.")
    with pytest.raises(Refusal, match="tomorrow"):
        ask(ada, "Signs of beavers")
    ada.creation_requests.update(at=timezone.now() - timedelta(days=2))
    assert ask(ada, "Signs of beavers") == ask(ada, "Signs of voles")


class NoServer(BaseEmailBackend):
    def send_messages(self, _messages: Any) -> int:
        raise ConnectionRefusedError


def test_the_api_refuses_with_the_same_words_and_creates_nothing(
    settings: Any, ada: User
) -> None:
    settings.TASK_CREATORS = "asked"
    token = tokens.make(ada, "ci", [Scope.ORGANIZE])[1]
    client = Client(headers={"Authorization": f"Bearer {token}"})
    answer = client.post("/api/v1/tasks/")
    assert (answer.status_code, answer.json()["code"]) == (403, "may_not_create_tasks")
    assert not Task.objects.exists()


def test_a_domain_counts_once_its_address_is_confirmed(
    settings: Any, ada: User
) -> None:
    settings.TASK_CREATORS = "elmhaven.example"
    settings.TASK_CREATOR_DOMAINS = ["elmhaven.example"]
    assert not may_create_tasks(ada)
    own = EmailAddress.objects.create(user=ada, email="a@Elmhaven.example")
    assert not may_create_tasks(ada)
    own.verified = True
    own.save()
    assert may_create_tasks(ada)
    EmailAddress.objects.filter(pk=own.pk).update(email="a@not-elmhaven.example")
    assert not may_create_tasks(ada)
