"""What is kept with an account is in the copy of its data, and goes with it."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from leaderboard.extras.erasure.erasure import forget
from leaderboard.extras.erasure.views import account_data
from leaderboard.tasks.models import Change, Participation, RegistrationQuestion
from leaderboard.teams.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]


def test_accounts_elsewhere_by_which_somebody_signs_in_are_theirs(ben: User) -> None:
    SocialAccount.objects.create(user=ben, provider="institution", uid="0042")
    assert account_data(ben)["identities"][0]["uid"] == "0042"
    forget(ben)
    assert not SocialAccount.objects.exists()


def test_answers_of_a_registration_go_with_the_account(
    entry: Participation, ben: User, as_user: Callable[[User], Client]
) -> None:
    question: dict[str, Any] = {"title": "Affiliation", "name": "affiliation"}
    RegistrationQuestion.objects.create(task=entry.task, **question)
    given = {"action": "answer", "answer_affiliation": "Quay 7"}
    assert as_user(ben).post("/tasks/otters/team/", given).status_code == 302
    assert account_data(ben)["registrations"] == [
        {"task__slug": "otters", "participation__answers": {"affiliation": "Quay 7"}}
    ]
    forget(ben)
    assert Participation.objects.get().answers == {}
    assert not any("Quay" in str(one.changes) for one in Change.objects.all())
