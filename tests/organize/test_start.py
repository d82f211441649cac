"""The first page of the organizers of a task."""

from collections.abc import Callable

import pytest
from django.test import Client

from leaderboard.submissions import accept
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.leaderboard.small import both, upload
from tests.organize.phase_fields import filled, text

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
START = "/tasks/otters/organize/"
LIST = START + "phases/"


def test_the_phases_keep_their_order(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    client = as_user(ada)
    for name in "bcd":
        client.post(LIST + "new/", filled(phase, name=name, title=f"Stage {name}"))
    client.post(LIST + "d/move/", {"to": "up"})
    for one in phase.task.phases.all():
        accept.submit(upload(one, entry, both()))
    page = text(client.get(START))
    places = [page.rindex(f"Stage {name}") for name in "bdc"]
    assert places == sorted(places)


def test_baselines_are_no_submissions_of_teams(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    accept.submit(upload(phase, entry, both()))
    numbers = as_user(ada).get(START).context["numbers"]
    assert ("Submissions", 1) in [*map(tuple, numbers)]
    Submission.objects.update(baseline=True)
    context = as_user(ada).get(START).context
    assert ("Submissions", 0) in [*map(tuple, context["numbers"])]
    assert [one.sent for one in context["phases"]] == [0]
