"""Who judges what: judge models that were let in, people who vote, no own answers."""

from functools import partial
from typing import Any

import pytest
from django.test import Client

from leaderboard.extras.judging import assignment, tallies
from leaderboard.extras.judging.assignment import Sent, begin, next_for
from leaderboard.extras.judging.models import (
    Assignment,
    Campaign,
    Judge,
    JudgeAccount,
    JudgedUnit,
    Vote,
)
from leaderboard.extras.judging.results import CampaignVotes, receipt_part
from leaderboard.tasks.models import Notice, Participation, Phase, Task
from leaderboard.teams.models import Membership, Team, User
from leaderboard.teams.refusal import Refusal
from tests.extras.judging.campaigns import (
    MEASURES,
    campaign_of,
    people_bundle,
    store_votes,
    system,
    vote_all,
    vote_by_form,
)
from tests.extras.judging.test_api import bearer, judged, place, post
from tests.extras.judging.test_votes import put_on_board

ADEQUACY = "adequacy = mean(adequacy); title Adequacy"


def four_systems(phase: Phase, entry: Participation) -> None:
    """Two systems of Ben's team and two of Cy's."""
    ben, cy = (User.objects.get(name=name) for name in ("ben", "cy"))
    for quality in (1, 2):
        system(phase.task, ben, quality)
    for quality in (3, 4):
        system(phase.task, cy, quality, "Cys")


pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage(
        of=partial(people_bundle, [*MEASURES, ADEQUACY]), then=four_systems
    ),
]
PLACE = "/tasks/signs/organize/judging/"


def somebody(name: str) -> User:
    return User.objects.create_user(f"{name}@example.org", "long enough 7")


def teams_of(one: Assignment) -> set[str]:
    shown = [answer for answer in (one.first, one.second) if answer is not None]
    return {str(answer.submission.participation.team) for answer in shown}


@pytest.mark.parametrize("access", ["link", "signed_in", "own_link"])
def test_a_judge_model_of_a_stranger_is_shown_nothing(task: Task, access: str) -> None:
    campaign = campaign_of(task, access=access)
    answer = post(bearer(somebody("eve")), place(campaign), model="evil")
    assert answer.status_code == 409 and "item" not in answer.json()
    assert not Judge.objects.exists() and not Assignment.objects.exists()


def test_the_common_link_of_personal_links_opens_nothing_to_anybody(
    task: Task, ada: User, as_user: Any
) -> None:
    campaign = campaign_of(task, access="own_link", instructions="Hush hush.")
    eve = somebody("eve")
    for client in (bearer(eve), bearer(ada)):
        for answer in (
            client.get(place(campaign)),
            post(client, place(campaign)),
            post(client, place(campaign), model="evil"),
        ):
            assert answer.status_code == 409 and "links of their own" in answer.text
            assert "Hush" not in answer.text
    for page in (Client(), as_user(eve)):
        text = page.get(campaign.get_absolute_url()).text
        assert "use yours" in text
        assert "Hush" not in text and campaign.title not in text


def test_an_organizer_lets_the_models_of_an_account_in_and_out_again(
    task: Task, ada: User, as_user: Any
) -> None:
    campaign, eve = campaign_of(task), somebody("eve")
    client, organizer = bearer(eve), as_user(ada)
    refused = post(client, place(campaign), model="owl-7b")
    assert "have to be let in by the organizers" in refused.json()["detail"]
    assert eve.email in organizer.get(f"{PLACE}{campaign.pk}/").text
    key = str(campaign.judge_models.get().pk)
    change = f"{PLACE}{campaign.pk}/change/"
    organizer.post(change, {"action": "models", "account": key})
    item = post(client, place(campaign), model="owl-7b").json()["item"]
    assert len(item["answers"]) == 2
    organizer.post(change, {"action": "no-models", "account": key})
    assert post(client, place(campaign), model="owl-7b").status_code == 409
    body = {"assignment": item["assignment"], "key": item["assignment"]}
    body |= {"values": {"choice": "left"}}
    assert post(client, place(campaign) + "votes/", **body).status_code == 409
    assert not Vote.objects.exists()


@pytest.mark.parametrize("key", ["", "x", "-1", "9" * 40, "٣"])
def test_what_names_no_account_lets_nobody_in(
    task: Task, as_user: Any, ada: User, key: str
) -> None:
    campaign = campaign_of(task)
    post(bearer(somebody("eve")), place(campaign), model="evil")
    change = f"{PLACE}{campaign.pk}/change/"
    as_user(ada).post(change, {"action": "models", "account": key})
    assert campaign.judge_models.get().allowed_at is None


def test_models_of_organizers_judge_without_more(task: Task, ada: User) -> None:
    campaign = campaign_of(task)
    assert judged(bearer(ada), campaign, "left", model="owl-7b").status_code == 201


def test_who_begins_and_never_votes_keeps_nobody_out(
    task: Task, monkeypatch: Any, as_user: Any, ada: User
) -> None:
    monkeypatch.setattr(assignment, "MOST_JUDGES", 3)
    campaign = campaign_of(task)
    for _click in range(20):
        Client().post(campaign.get_absolute_url())
    # A number goes on, and pages of organizers list who judges alone.
    judge = begin(campaign)
    assert judge.number == 21
    assert "Nobody has begun." in as_user(ada).get(f"{PLACE}{campaign.pk}/").text
    for _person in range(3):
        vote_all(begin(campaign), most=1)
    with pytest.raises(Refusal, match="nobody else can begin"):
        begin(campaign)
    # Links of their own can be made for as many as there is room for.
    Campaign.objects.update(access="own_link")
    with pytest.raises(Refusal, match="From 1 to 0"):
        assignment.invite(campaign, 1)
    monkeypatch.setattr(assignment, "MOST_JUDGES", 5)
    assignment.invite(campaign, 2)
    assert list(
        campaign.judges.filter(invited=True).values_list("number", flat=True)
    ) == [
        25,
        26,
    ]


def test_from_one_address_only_so_many_begin_in_a_day(
    task: Task, monkeypatch: Any
) -> None:
    monkeypatch.setattr(assignment, "MOST_BEGUN", 3)
    campaign = campaign_of(task)
    address = campaign.get_absolute_url()
    pages = [Client().post(address, follow=True).text for _click in range(5)]
    assert ["come back tomorrow" in page for page in pages] == [False] * 3 + [True] * 2
    assert Judge.objects.count() == 3
    Client(REMOTE_ADDR="192.0.2.7").post(address)
    assert Judge.objects.count() == 4
    Judge.objects.all().delete()  # gives nothing back
    Client().post(address)
    assert not Judge.objects.exists()


def test_models_have_a_bound_of_their_own(
    task: Task, ada: User, monkeypatch: Any
) -> None:
    monkeypatch.setattr(assignment, "MOST_MODELS", 2)
    campaign, client = campaign_of(task), bearer(ada)
    answers = [post(client, place(campaign), model=f"owl-{i}") for i in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 409]
    assert begin(campaign).number == 3


@pytest.mark.parametrize("kind", ["pairs", "slider"])
def test_nobody_is_given_answers_of_a_team_they_are_in(
    task: Task, ben: User, kind: str
) -> None:
    questions = "adequacy: How much is there?"
    if kind == "pairs":
        questions = "Which is better?"
    campaign = campaign_of(
        task, access="signed_in", kind=kind, questions=questions, controls=50
    )
    judge = begin(campaign, ben)
    assert vote_all(judge) > 0
    shown = [teams_of(one) for one in Assignment.objects.filter(judge=judge)]
    assert all(teams == {"Cys"} for teams in shown)


def test_a_browser_that_is_signed_in_is_asked_where_judges_have_no_account(
    task: Task, ben: User, as_user: Any
) -> None:
    campaign = campaign_of(task)
    client, address = as_user(ben), campaign.get_absolute_url()
    client.post(address)
    for _vote in range(4):
        vote_by_form(client, address, choice="left")
    assert Vote.objects.count() == 4
    assert {frozenset(teams_of(one)) for one in Assignment.objects.all()} == {
        frozenset({"Cys"})
    }
    assert not JudgeAccount.objects.exists()


def test_who_joins_the_team_later_sends_no_vote_on_what_was_given(
    task: Task, ben: User
) -> None:
    campaign, eve = campaign_of(task, access="signed_in"), somebody("eve")
    judge = begin(campaign, eve)
    one = next_for(judge)
    assert one is not None
    for name in teams_of(one):
        Membership.objects.create(user=eve, team=Team.objects.get(name=name))
    with pytest.raises(Refusal, match="your own team"):
        assignment.vote(judge, Sent(one.key, assignment.new_key(), {"choice": "left"}))


def test_votes_on_own_answers_that_were_given_before_are_left_out_and_the_log_says_so(
    task: Task, ada: User, ben: User, cy: User
) -> None:
    campaign = campaign_of(task)
    stranger, own = begin(campaign), begin(campaign)
    JudgeAccount.objects.create(judge=own, user=ben)
    store_votes(stranger, 1)
    # Of the 48 pairs of 8 units those with a system of Ben's: all but one a unit.
    assert store_votes(own, 2) == 48
    votes = CampaignVotes(campaign)
    assert (len(votes.counted_rows), votes.own_teams) == (48 + 8, 40)
    assert receipt_part(campaign, votes)["left_out"]["own_teams"] == 40
    put_on_board(campaign, ada)
    text = Notice.objects.get(text__startswith="Signs").text
    assert "40 on answers of a judge's own team are left out." in text
    # They are no share of a unit: others get it.
    tallies.recount(campaign)
    assert set(JudgedUnit.objects.values_list("taken", flat=True)) == {7}


@pytest.mark.parametrize("leaving", ["the team", "the site"])
def test_leaving_brings_no_vote_on_an_own_answer_back(
    task: Task, ben: User, leaving: str
) -> None:
    campaign = campaign_of(task)
    judge = begin(campaign)
    JudgeAccount.objects.create(judge=judge, user=ben)
    store_votes(judge, 2)
    if leaving == "the team":
        ben.participants.update(left_at=campaign.created_at)
        Membership.objects.filter(user=ben).delete()
    else:
        JudgeAccount.objects.filter(user=ben).delete()
    assert CampaignVotes(campaign).own_teams == 40
