"""What a newcomer is told at each step: the next one, and nothing before its time."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.submissions import accept
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.small import both, one_wrong, scored, upload

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
NEXT = "Next: take the starting kit"


def join(client: Client, task: Task) -> str:
    address = f"{task.get_absolute_url()}join/"
    return client.post(address, {"name": "Cys"}, follow=True).text


def test_who_has_joined_is_told_how_to_begin(
    as_user: Login, cy: User, task: Task
) -> None:
    assert NEXT in join(as_user(cy), task)


def test_who_waits_to_be_admitted_is_not_told_to_begin(
    as_user: Login, cy: User, task: Task
) -> None:
    Task.objects.update(entry=Task.Entry.APPROVAL)
    page = join(as_user(cy), task)
    assert "waits for the organizers" in page and NEXT not in page


def test_the_front_page_shows_somebody_who_is_in_where_to_go_on(
    as_user: Login, cy: User, phase: Phase
) -> None:
    page = as_user(cy).get("/").text
    address = page.partition("Choose a task to take part")[0].rpartition('href="#')[2]
    assert f'id="{address.partition(chr(34))[0]}"' in page


def part(client: Client, sent: Submission) -> str:
    """The fragment that replaces the state on the page."""
    return client.get(f"{sent.get_absolute_url()}?part=status").text


def test_the_board_is_offered_as_soon_as_there_is_a_score(
    as_user: Login, ben: User, phase: Phase, entry: Participation
) -> None:
    waiting = accept.submit(upload(phase, entry, both()))
    done = scored(phase, entry, both(), system="otter-2")
    client = as_user(ben)
    assert "See your rank" not in part(client, waiting)
    assert "See your rank" in part(client, done)


def test_an_organizer_is_not_told_that_the_rank_is_theirs(
    as_user: Login, ada: User, ben: User, phase: Phase, entry: Participation
) -> None:
    best = scored(phase, entry, both(), system="otter-2")
    other = scored(phase, entry, both({"north": one_wrong()}))
    address = other.get_absolute_url()
    mine, theirs = (as_user(u).get(address).content.decode() for u in (ben, ada))
    for own in ("See your rank", "for your team", "Submit another"):
        assert own in mine and own not in theirs
    assert "See its rank" in theirs and "See its rank" in part(as_user(ada), best)


def test_another_is_asked_for_while_it_can_count(
    as_user: Login, ben: User, phase: Phase, entry: Participation
) -> None:
    """After the end it led to a form whose file is kept and not scored."""
    address = scored(phase, entry, both()).get_absolute_url()
    assert "Submit another" in as_user(ben).get(address).text
    Phase.objects.update(closes=timezone.now())
    page = as_user(ben).get(address).text
    assert "See your rank" in page and "Submit another" not in page


def test_no_board_is_offered_where_none_is_shown(
    as_user: Login, ben: User, phase: Phase, entry: Participation
) -> None:
    Phase.objects.update(policy=Phase.Policy.BLIND)
    phase.refresh_from_db()
    sent = scored(phase, entry, both())
    assert "See your rank" not in part(as_user(ben), sent)
