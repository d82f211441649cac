"""The page on which organizers merge two teams asks before it does so."""

from collections.abc import Callable

import pytest
from django.core import mail
from django.test import Client

from leaderboard.mail import outbox
from leaderboard.organize.baselines import entry_of_organizers
from leaderboard.tasks.models import Organizer, Participation, Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.small import both, scored
from tests.organize.crowd import entered, organizing

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.databases("sql"),
]
Login = Callable[[User], Client]
PAGE = "/tasks/otters/organize/people/merge/"
BUTTON = "Merge permanently"


@pytest.fixture
def other(task: Task, cy: User) -> Participation:
    return entered(task, "Cys", cy)


def test_the_page_says_what_will_happen_before_it_merges(
    phase: Phase, entry: Participation, other: Participation, as_user: Login
) -> None:
    phase.daily_limit = 2
    phase.save()
    scored(phase, other, both())
    client = as_user(organizing(entry.task, "ed@example.org", Organizer.Role.EDITOR))
    first = client.get(PAGE).text
    assert "at most the daily limit times the days since it opened" in first
    assert BUTTON not in first
    chosen = {"stays": entry.pk, "leaves": other.pk}
    asked = client.get(PAGE, chosen).text
    for words in (
        "Merge Cys into Bens?",
        "1 member of Cys becomes a member of Bens",
        "1 submission of Cys moves to Bens",
        "4 days, 2 a day",
        BUTTON,
    ):
        assert words in asked
    other.refresh_from_db()
    assert other.status == Participation.Status.ACTIVE, "a question changes nothing"
    answer = client.post(PAGE, {**chosen, "why": "one laboratory"}, follow=True)
    assert "Cys is part of Bens now." in answer.text
    other.refresh_from_db()
    assert (other.merged_into, other.reason) == (entry, "one laboratory")
    outbox.send()
    read = {letter.to[0]: letter.body for letter in mail.outbox}
    assert read.keys() == {"ben@example.org", "cy@example.org"}
    for text in read.values():
        assert "Cys is part of Bens in Otter Parsing now" in text
        assert "one laboratory" in text


def test_without_a_reason_the_question_stands_again(
    entry: Participation, other: Participation, ada: User, as_user: Login
) -> None:
    chosen = {"stays": entry.pk, "leaves": other.pk}
    answer = as_user(ada).post(PAGE, {**chosen, "why": " "})
    assert answer.status_code == 422
    assert "Merge Cys into Bens?" in answer.text
    other.refresh_from_db()
    assert other.merged_into is None


def test_teams_that_used_too_many_attempts_are_not_offered_to_merge(
    phase: Phase, entry: Participation, other: Participation, ada: User, as_user: Login
) -> None:
    phase.total_limit = 1
    phase.save()
    for team in (entry, other):
        scored(phase, team, both())
    chosen = {"stays": entry.pk, "leaves": other.pk}
    page = as_user(ada).get(PAGE, chosen).text
    assert "too many" in page and "They cannot be merged" in page
    assert BUTTON not in page
    answer = as_user(ada).post(PAGE, {**chosen, "why": "one laboratory"})
    assert answer.status_code == 422
    assert "both used 2, one team had 1" in answer.text


@pytest.mark.parametrize("way", ["get", "post"])
def test_one_team_alone_is_no_choice(
    entry: Participation, ada: User, as_user: Login, way: str
) -> None:
    send = getattr(as_user(ada), way)
    answer = send(PAGE, {"stays": entry.pk, "leaves": entry.pk, "why": "why"})
    assert answer.status_code == 422
    assert "Choose two different teams." in answer.text
    assert BUTTON not in answer.text


def test_the_team_of_baselines_is_not_one_to_merge(
    phase: Phase, entry: Participation, other: Participation, ada: User, as_user: Login
) -> None:
    baselines = entry_of_organizers(phase.task)
    scored(phase, baselines, both(), baseline=True, sender=ada)
    choices = as_user(ada).get(PAGE).context["form"].fields["stays"].queryset
    assert set(choices) == {entry, other}
