"""Who may create tasks: everybody, some mail domains, those who asked and were let."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.test import Client

from leaderboard.api import tokens
from leaderboard.api.models import Scope
from leaderboard.tasks.models import Task
from leaderboard.teams.creators import may_create_tasks
from leaderboard.teams.models import User

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
NEW = "/tasks/new/"


@pytest.mark.thorough
def test_whoever_may_not_asks_and_is_let_by_an_administrator(
    settings: Any, as_user: Login, ada: User, admin_client: Client
) -> None:
    settings.TASK_CREATORS, settings.OPERATORS = "asked", ["ops@example.org"]
    client = as_user(ada)
    page = client.get(NEW)
    assert "What would you like to organize?" in page.text
    assert 'name="bundle"' not in page.text
    assert client.get(f"{NEW}form/?scorer=attachment").headers["Location"] == NEW
    told = client.post(NEW, {"about": "Signs of beavers"}, follow=True)
    assert "Your request was sent" in told.text
    (asked,) = mail.outbox
    assert (asked.to, asked.reply_to) == (["ops@example.org"], [ada.email])
    assert "Signs of beavers" in asked.body
    chosen = {"action": "let_create_tasks", "_selected_action": [ada.pk]}
    admin_client.post("/admin/teams/user/", chosen)
    assert mail.outbox[-1].to == [ada.email]
    assert 'name="bundle"' in client.get(NEW).text
    settings.EMAIL_BACKEND = "tests.organize.test_creators.NoServer"
    told = admin_client.post("/admin/teams/user/", chosen, follow=True)
    assert "the mail could not be sent" in told.text


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
