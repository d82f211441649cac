"""Assignments and votes: blind, balanced, written once; what becomes of them."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from django.urls import reverse

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.judgements.models import JudgementTable
from leaderboard.extras.judging import assignment, results, setup
from leaderboard.extras.judging.assignment import Sent, begin, new_key, next_for, vote
from leaderboard.extras.judging.models import (
    Assignment,
    Campaign,
    Judge,
    JudgedAnswer,
    Vote,
)
from leaderboard.extras.judging.outlook import outlook
from leaderboard.extras.judging.results import CampaignVotes, publish, standing
from leaderboard.extras.judging.setup import CampaignForm
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Change, Notice, Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from tests.extras.judging.campaigns import (
    UNITS,
    campaign_of,
    form_data,
    people_task,
    quality_of,
    store_votes,
    system,
    vote_all,
)
from tests.leaderboard.judged import run_all
from tests.leaderboard.small import inline

pytestmark = pytest.mark.django_db
SCALE = {
    "kind": "scale",
    "questions": "adequacy: How much is there?\nfluency: How well is it said?",
    "steps": "nothing\nsome\nall",
}


@pytest.fixture
def task(ada: User) -> Task:
    return people_task(ada)


@pytest.fixture
def systems(task: Task, ben: User) -> list[Submission]:
    return [system(task, ben, quality) for quality in (1, 2, 3)]


@pytest.fixture
def campaign(task: Task, systems: list[Submission]) -> Campaign:
    return campaign_of(task)


def put_on_board(campaign: Campaign, by: User) -> None:
    with inline:
        publish(campaign, by)
    run_all()


def test_the_same_votes_are_announced_once(
    task: Task, campaign: Campaign, ada: User
) -> None:
    store_votes(begin(campaign), most=16)
    for _again in range(2):
        put_on_board(campaign, ada)
        campaign.refresh_from_db()
    assert task.notices.count() == 1
    store_votes(begin(campaign), 1, most=16)
    put_on_board(campaign, ada)
    assert task.notices.count() == 2


def test_answers_are_read_with_their_input(campaign: Campaign) -> None:
    unit = campaign.units.get(name="u3")
    assert unit.shown == [["source", "what stands on sign u3"]]
    texts = sorted(answer.text for answer in unit.answers.all())
    assert texts == [f"answer u3 of quality {q}" for q in (1, 2, 3)]


def test_assignments_are_balanced_over_units_pairs_and_sides(
    campaign: Campaign,
) -> None:
    for seed in range(4):
        vote_all(begin(campaign), seed, most=12)
    rows = list(Assignment.objects.select_related("first", "second", "unit"))
    assert set(Counter(row.unit.name for row in rows).values()) == {6}
    pairs: Counter[Any] = Counter()
    for row in rows:
        assert row.second is not None
        pairs[frozenset((row.first.submission_id, row.second.submission_id))] += 1
    assert max(pairs.values()) - min(pairs.values()) <= 2
    by_judge = Counter(
        (row.judge_id, frozenset((row.first_id, row.second_id))) for row in rows
    )
    assert set(by_judge.values()) == {1}
    sides = Counter(row.first.submission_id for row in rows)
    # Each system is in 32 of 48 pairs; a side by chance has sd 2.8.
    assert all(6 <= number <= 26 for number in sides.values())


def test_a_unit_gets_as_many_judgements_as_were_asked_for(
    task: Task, systems: Any
) -> None:
    campaign = campaign_of(task, per_unit=2)
    done = [vote_all(begin(campaign), seed) for seed in range(3)]
    assert sum(done) == 2 * len(UNITS)


def test_a_day_ends_at_its_limit_and_what_is_open_stays(
    task: Task, systems: Any
) -> None:
    campaign = campaign_of(task, daily=3)
    judge = begin(campaign)
    first = next_for(judge)
    assert first is not None and next_for(judge) == first
    assert vote_all(judge) == 3 and next_for(judge) is None


def test_controls_repeat_an_earlier_pair_with_sides_changed(
    task: Task, systems: Any
) -> None:
    campaign = campaign_of(task, controls=50)
    judge = begin(campaign)
    vote_all(judge, seed=3)
    controls = Assignment.objects.exclude(control_of=None).select_related("control_of")
    assert len(controls) >= 3
    for one in controls:
        before = one.control_of
        assert before is not None and before.control_of_id is None
        assert (one.first_id, one.second_id) == (before.second_id, before.first_id)
        assert one.pk - before.pk > 5
    votes = CampaignVotes(campaign)
    assert len(votes.counted_rows) == len(votes.everything) - len(controls)
    (report,) = votes.reports([judge])
    assert report.controls == len(controls) and 0 <= report.failed <= len(controls)


def test_a_judge_who_always_clicks_the_first_is_seen_and_moves_nothing(
    task: Task, systems: Any
) -> None:
    campaign = campaign_of(task, controls=50, per_unit=30)
    judge = begin(campaign)
    random = Random(1)
    while (one := next_for(judge, random)) is not None:
        vote(judge, Sent(one.key, new_key(), {"choice": "left"}))
    votes = CampaignVotes(campaign)
    (report,) = votes.reports([judge])
    assert report.lean == 1.0 and report.failed == report.controls >= 3
    # All pairs of all units, with sides by chance: a system wins about half of its 16.
    assert len(votes.counted_rows) == 3 * len(UNITS)
    won = Counter(row.first for row in votes.counted_rows)
    assert all(3 <= won[system.pk] <= 13 for system in systems)


def test_a_judge_leans_by_how_much_more_they_give_than_others(
    ada: User, ben: User
) -> None:
    task = people_task(ada, ["score = mean(score)"])
    for quality in (1, 3):
        system(task, ben, quality)
    campaign = campaign_of(task, kind="slider", questions="score: How good?")
    judges = [begin(campaign) for _ in range(3)]

    def values(judge: Judge, one: Assignment, _random: Any) -> dict[str, int]:
        return {"score": 50 + quality_of(one.first) + 12 * (judge.number == 3)}

    for judge in judges:
        store_votes(judge, values=values)
    leans = [report.lean for report in CampaignVotes(campaign).reports(judges)]
    # Of the other two one gives 12 more, so that their mean is 6 above.
    assert leans == pytest.approx([-6, -6, 12])


def test_a_unit_that_a_correction_took_away_is_kept_and_goes_on_no_board(
    campaign: Campaign, ada: User, monkeypatch: Any
) -> None:
    store_votes(begin(campaign), most=8)
    found = standing(campaign, CampaignVotes(campaign))
    whole = results.judgements.units_of(campaign.phase, campaign.test_set)
    assert whole is not None and whole.names == UNITS
    fewer = replace(whole, names=UNITS[1:])
    monkeypatch.setattr(results.judgements, "units_of", lambda *_args: fewer)
    table = results._table(campaign, found, {})
    named = {line.split(",")[3] for line in table.splitlines()[1:]}
    assert named == set(UNITS[1:]) and Vote.objects.count() == 8


def test_a_vote_that_is_sent_again_is_the_same_vote(campaign: Campaign) -> None:
    judge = begin(campaign)
    one = next_for(judge)
    assert one is not None
    sent = Sent(one.key, new_key(), {"choice": "left"})
    assert vote(judge, sent) == vote(judge, sent)
    assert Vote.objects.count() == 1


def test_of_two_windows_the_first_counts_and_the_other_is_told(
    campaign: Campaign,
) -> None:
    judge = begin(campaign)
    one = next_for(judge)
    assert one is not None
    vote(judge, Sent(one.key, new_key(), {"choice": "left"}))
    with pytest.raises(Refusal, match="You judged this already"):
        vote(judge, Sent(one.key, new_key(), {"choice": "right"}))
    assert Vote.objects.get().values == {"choice": "left"}


def test_the_last_vote_can_be_changed_and_the_earlier_one_is_kept(
    campaign: Campaign,
) -> None:
    judge = begin(campaign)
    one = next_for(judge)
    assert one is not None
    first = vote(judge, Sent(one.key, new_key(), {"choice": "left"}))
    vote(judge, Sent(one.key, new_key(), {"choice": "equal"}, instead=first.key))
    kept = Vote.objects.filter(replaced_at=None).get()
    assert kept.values == {"choice": "equal"} and Vote.objects.count() == 2
    assert assignment.last_of(judge) == kept


def test_a_foreign_vote_and_one_after_the_end_are_refused(campaign: Campaign) -> None:
    judge, other = begin(campaign), begin(campaign)
    one = next_for(judge)
    assert one is not None
    with pytest.raises(Refusal, match="not given to you"):
        vote(other, Sent(one.key, new_key(), {"choice": "left"}))
    Campaign.objects.update(open=False)
    fresh = Judge.objects.select_related("campaign").get(pk=judge.pk)
    with pytest.raises(Refusal, match="Judging is over"):
        vote(fresh, Sent(one.key, new_key(), {"choice": "left"}))
    assert next_for(fresh) is None


def test_an_account_is_one_judge_however_often_it_begins(
    campaign: Campaign, cy: User
) -> None:
    assert begin(campaign, cy) == begin(campaign, cy)
    assert begin(campaign, cy) != begin(campaign)


def test_votes_become_a_board_with_intervals_and_ranks(
    campaign: Campaign, ada: User, systems: list[Submission]
) -> None:
    for seed in range(8):
        store_votes(begin(campaign), seed, most=6)
    put_on_board(campaign, ada)
    ratings, votes, _units = CampaignVotes(campaign).ratings(
        [one.pk for one in systems]
    )
    assert len(votes) == 48
    rows = board(BoardQuery(campaign.phase, everything=True)).rows
    order = np.argsort(-ratings.values).tolist()
    assert [row.system for row in rows] == [systems[place].system for place in order]
    for place, row in zip(order, rows, strict=True):
        shown = {one.measure.name: one.exact for one in row.scores}
        assert shown["rating"]["value"] == pytest.approx(
            ratings.values[place], abs=0.01
        )
        assert shown["win"]["value"] == pytest.approx(ratings.wins()[place], abs=1e-6)
        assert (
            shown["rating"]["low"] < shown["rating"]["value"] < shown["rating"]["high"]
        )
    assert rows[0].standing.low == 1
    text = Notice.objects.get(text__startswith="Signs").text
    assert text == "Signs: 48 judgements by 8 people are on the board."


def test_systems_that_nothing_connects_have_no_value_and_a_reason(
    campaign: Campaign, ada: User, systems: list[Submission]
) -> None:
    judge = begin(campaign)
    with pytest.raises(Refusal, match="no votes yet"):
        publish(campaign, ada)

    def better(_judge: Judge, one: Assignment, _random: Any) -> dict[str, str]:
        assert one.second is not None
        return {"choice": "left" if one.first.text > one.second.text else "right"}

    store_votes(judge, values=better)
    found = standing(campaign, CampaignVotes(campaign))
    assert not found.lines and len(found.unrated) == 3
    why = {one.submission.system[-1]: str(one.why) for one in found.unrated}
    assert "won every comparison" in why["3"] and "lost every" in why["1"]


def test_an_excluded_judge_does_not_count_and_the_log_says_so(
    campaign: Campaign, ada: User, as_user: Any
) -> None:
    for seed in range(3):
        store_votes(begin(campaign), seed, most=10)
    before = len(CampaignVotes(campaign).counted_rows)
    place = f"/tasks/signs/organize/judging/{campaign.pk}/"
    client = as_user(ada)
    client.post(place + "judges/2/", {"why": ""})
    assert len(CampaignVotes(campaign).counted_rows) == before
    client.post(place + "judges/2/", {"why": "always the left one"})
    votes = CampaignVotes(campaign)
    assert len(votes.counted_rows) == before - 10 and votes.left_out == 10
    page = client.get(place).text
    assert "10 by 1 excluded judge are left out" in page
    assert "always the left one" in page
    change = Change.objects.filter(content_type__model="judge").get()
    assert change.changes["excluded_why"] == ["", "always the left one"]
    assert "always the left one" in client.get("/tasks/signs/organize/history/").text
    put_on_board(campaign, ada)
    text = Notice.objects.get(text__startswith="Signs").text
    assert text.endswith("10 are left out; excluded judges: 1.")
    page = as_user(ada).get(reverse("board", args=["signs", "test"])).text
    assert "20 judgements by 2 people. Left out, of excluded judges: 10." in page


def test_a_withdrawn_system_leaves_and_one_that_joins_late_catches_up(
    campaign: Campaign, ben: User, systems: list[Submission]
) -> None:
    judge = begin(campaign)
    vote_all(judge, most=6)
    Submission.objects.filter(pk=systems[0].pk).update(withdrawn_at="2026-01-01T00:00Z")
    late = system(campaign.phase.task, ben, 9)
    with inline:
        assert setup.add_latecomers(campaign) == 1
        assert setup.add_latecomers(campaign) == 0
    for _ in range(12):
        vote_all(judge, most=1)
    shown = JudgedAnswer.objects.filter(submission=late).values("pk")
    rows = Assignment.objects.filter(first__in=shown) | Assignment.objects.filter(
        second__in=shown
    )
    assert rows.count() >= 8
    found = standing(campaign, CampaignVotes(campaign))
    assert systems[0].pk not in {line[0] for line in found.lines}


def test_scales_become_means_with_agreement_by_question(ada: User, ben: User) -> None:
    task = people_task(ada, ["adequacy = mean(adequacy)", "fluency = mean(fluency)"])
    one, two = system(task, ben, 1), system(task, ben, 3)
    campaign = campaign_of(task, per_unit=2, **SCALE)

    def values(judge: Judge, one: Assignment, _random: Any) -> dict[str, int]:
        good = one.first.submission_id == two.pk
        return {"adequacy": 3 if good else judge.number, "fluency": 2}

    for _judge in range(2):
        store_votes(begin(campaign), values=values)
    votes = CampaignVotes(campaign)
    assert len(votes.counted_rows) == 2 * 2 * len(UNITS)
    agreement = votes.agreement()
    # All values of fluency are equal, so that there is nothing to agree on.
    assert agreement["fluency"] is None and agreement["adequacy"] is not None
    assert agreement["adequacy"][0] == pytest.approx(
        # By hand: ordinal places of 8 x 1, 8 x 2, 16 x 3 among 32 are 4, 12, 24.
        1 - (8 * 2 * 64) / (2 * (32 * (8 * 16 + 8 * 144 + 16 * 576) - 512**2) / 31)
    )
    put_on_board(campaign, ada)
    table = JudgementTable.objects.get(submission=one, replaced_at=None)
    assert table.judged == {"adequacy": 8, "fluency": 8}


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("questions", "one\ntwo", "Write one question"),
        ("kind", "slider", "expected a column"),
        ("per_unit", 0, "From 1 to 1000"),
        ("controls", 90, "From 0 to 50"),
    ],
)
def test_a_form_says_what_is_wrong(
    task: Task, systems: Any, field: str, value: Any, said: str
) -> None:
    form = CampaignForm(task, form_data(task, **{field: value}))
    assert not form.is_valid() and said in str(form.errors)


def test_a_task_that_declares_other_columns_is_refused_with_what_to_write(
    ada: User, ben: User
) -> None:
    task = people_task(ada, ["adequacy = mean(adequacy)"])
    for quality in (1, 2):
        system(task, ben, quality)
    with pytest.raises(Refusal, match="rating = mean"):
        campaign_of(task)
    assert not Campaign.objects.exists()


def test_people_do_not_judge_programs(task: Task, ben: User) -> None:
    for quality in (1, 2):
        system(task, ben, quality)
    task.phases.update(sends_code=True)
    with pytest.raises(Refusal, match="Teams send code"):
        campaign_of(task)


def test_a_campaign_needs_two_systems(task: Task, ben: User) -> None:
    system(task, ben, 1)
    with pytest.raises(Refusal, match="fewer than two"):
        campaign_of(task)


def test_the_page_says_which_pairs_need_how_many_more_votes(
    task: Task, ben: User, ada: User, as_user: Any
) -> None:
    systems = [system(task, ben, quality) for quality in (1, 2, 9)]
    campaign = campaign_of(task, per_unit=60)
    for seed in range(12):
        store_votes(begin(campaign), seed)
    votes = CampaignVotes(campaign)
    found = outlook(votes, systems)
    assert found is not None and found.pairs == 3
    # 9 beats the others nearly always: it stands apart, or has no rating at all.
    open_pairs = {(one.first, one.second) for one in found.nearest}
    assert (systems[0], systems[1]) in open_pairs or found.is_over
    page = as_user(ada).get(f"/tasks/signs/organize/judging/{campaign.pk}/").text
    assert "How many more votes" in page
    assert outlook(CampaignVotes(campaign), systems[:1]) is None


def test_means_of_single_answers_are_told_apart_by_the_same_rule(
    ada: User, ben: User
) -> None:
    task = people_task(ada, ["adequacy = mean(adequacy)"])
    systems = [system(task, ben, quality) for quality in (1, 3)]
    campaign = campaign_of(
        task, per_unit=12, kind="slider", questions="adequacy: How much is there?"
    )
    for seed in range(12):
        store_votes(begin(campaign), seed)
    found = outlook(CampaignVotes(campaign), systems)
    assert found is not None and found.is_over and found.votes_needed == 0
