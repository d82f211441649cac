"""People and teams beside the cast, for the tests of people, letters and mergers."""

from collections.abc import Iterator
from contextlib import contextmanager

from allauth.account.models import EmailAddress
from django.test import RequestFactory

from leaderboard.tasks.models import Organizer, Participant, Participation, Task
from leaderboard.teams.models import Membership, Team, User
from leaderboard.web import requests


def person(address: str, *, confirmed: bool = False) -> User:
    name = address.partition("@")[0]
    made = User.objects.create_user(address, "x", name=name)
    EmailAddress.objects.create(
        user=made, email=address, verified=confirmed, primary=True
    )
    return made


def team(name: str, *members: User) -> Team:
    """Led by the first of its members."""
    made = Team.found(name, members[0])
    for member in members[1:]:
        Membership.objects.create(team=made, user=member)
    return made


def entered(
    task: Task, name: str, *members: User, status: str = "active"
) -> Participation:
    """A team that is in the task, whatever the rules say."""
    entry = Participation.objects.create(
        task=task, team=team(name, *members), status=status
    )
    for member in members:
        Participant.objects.create(task=task, user=member, participation=entry)
    return entry


def organizing(task: Task, address: str, role: Organizer.Role) -> User:
    made = person(address)
    Organizer.objects.create(task=task, user=made, role=role)
    return made


@contextmanager
def acting(user: User) -> Iterator[None]:
    """Changes inside the block are that person's, as in a request of theirs."""
    request = RequestFactory().get("/")
    request.user = user
    token = requests.current.set(request)
    try:
        yield
    finally:
        requests.current.reset(token)
