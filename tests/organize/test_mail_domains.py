"""Allow-lists of mail domains: who may enter, and what the others are told."""

from collections.abc import Callable

import pytest
from django.test import Client

from leaderboard.tasks import participation
from leaderboard.tasks.models import Participation, Task
from leaderboard.tasks.participation import join, participation_of
from leaderboard.teams.models import Membership, User
from leaderboard.teams.refusal import Refusal
from tests.organize.crowd import person, team

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
PEOPLE = "/tasks/otters/organize/people/"


@pytest.fixture
def by_domain(task: Task) -> Task:
    task.mail_domains = ["example.org", "uni.example"]
    task.save()
    return task


@pytest.mark.parametrize(
    ("address", "inside"),
    [
        ("a@example.org", True),
        ("a@cs.example.org", True),
        ("a@EXAMPLE.ORG", True),
        ("a@notexample.org", False),
        ("a@example.org.evil.net", False),
        ("a@evil.net", False),
        ('"a@example.org"@evil.net', False),
    ],
)
def test_a_domain_and_what_lies_below_it_is_allowed(address: str, inside: bool) -> None:
    assert participation.within_domains(address, ["example.org"]) is inside


def test_a_team_enters_when_every_member_is_in_an_allowed_domain(
    by_domain: Task,
) -> None:
    one = person("one@example.org", confirmed=True)
    two = person("two@cs.uni.example", confirmed=True)
    assert join(by_domain, team("Both", one, two)).participants.count() == 2


def test_an_address_that_nobody_confirmed_does_not_count(by_domain: Task) -> None:
    with pytest.raises(Refusal, match=r"example\.org, uni\.example.*Not so: one"):
        join(by_domain, team("One", person("one@example.org")))
    assert not by_domain.participations.exists()


def test_a_mate_from_elsewhere_does_not_take_part_and_reads_why(
    by_domain: Task, as_user: Login
) -> None:
    inside = person("one@example.org", confirmed=True)
    outside = person("two@elsewhere.net", confirmed=True)
    entry = join(by_domain, team("One", inside))
    Membership.objects.create(team=entry.team, user=outside)
    assert participation_of(outside, by_domain) is None
    page = as_user(outside).get("/tasks/otters/").content.decode()
    assert "takes part without you" in page
    assert "example.org, uni.example" in page


def test_teams_that_are_in_stay_when_domains_are_set(
    task: Task, entry: Participation, ada: User, ben: User, as_user: Login
) -> None:
    address = f"{PEOPLE}rules/"
    fields = {"entry": "approval", "domains": "@Uni.Example\nexample.net, uni.example"}
    assert as_user(ada).post(address, fields).url == address
    task.refresh_from_db()
    assert task.mail_domains == ["uni.example", "example.net"]
    assert participation_of(ben, task) == entry


def test_what_is_no_domain_is_refused_by_name(
    task: Task, ada: User, as_user: Login
) -> None:
    fields = {"entry": "open", "domains": "uni.example\nmy-uni!"}
    answer = as_user(ada).post(f"{PEOPLE}rules/", fields)
    assert answer.status_code == 422
    assert "“my-uni!” is no mail domain" in answer.content.decode()
