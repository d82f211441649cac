"""Several kinds of judging in one task: each keeps the columns of the others.

The votes of one kind must change no number of another: not its score, not its interval,
which knows how its own judges differ.
"""

from typing import Any

import pytest

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.judgements import judgements
from leaderboard.extras.judgements.models import JudgementTable
from leaderboard.extras.judging import questions, setup
from leaderboard.extras.judging.assignment import begin
from leaderboard.extras.judging.models import Campaign, Vote
from leaderboard.extras.judging.results import (
    CampaignVotes,
    publish,
    require_columns,
    standing,
)
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from tests.extras.judging.campaigns import (
    MEASURES,
    campaign_of,
    people_task,
    store_votes,
    system,
)
from tests.leaderboard.judged import run_all
from tests.leaderboard.small import bundle, inline

pytestmark = pytest.mark.django_db
KINDS: dict[str, dict[str, Any]] = {
    "pairs": {},
    "slider": {"kind": "slider", "questions": "adequacy: How much is there?"},
    "scale": {
        "kind": "scale",
        "questions": "style: How well is it said?",
        "steps": "bad\nfair\ngood",
    },
}
ALL = [
    *MEASURES,
    "adequacy = mean(adequacy); title Adequacy",
    "style = mean(style); title Style",
]


def values(judge: Any, one: Any, random: Any) -> dict[str, Any]:
    if judge.campaign.in_pairs:
        return {"choice": random.choice(["left", "right", "equal"])}
    most = 3 if judge.campaign.kind == "scale" else 100
    return {name: random.randint(1, most) for name in judge.campaign.columns}


@pytest.fixture
def task(ada: User, ben: User) -> Task:
    task = people_task(ada, ALL)
    for quality in (1, 2, 3):
        system(task, ben, quality)
    return task


@pytest.fixture
def campaigns(task: Task) -> dict[str, Campaign]:
    found = {
        name: campaign_of(task, title=name, **more) for name, more in KINDS.items()
    }
    for number, one in enumerate(found.values()):
        for seed in range(2 + number):
            store_votes(begin(one), 10 * number + seed, values=values)
    return found


def numbers(task: Task) -> dict[str, list[Any]]:
    """What the board says of each measure: by column the scores of all systems."""
    rows = board(BoardQuery(task.phases.get(), everything=True)).rows
    found: dict[str, list[Any]] = {}
    for row in sorted(rows, key=lambda row: row.system):
        for score in row.scores:
            one = (score.numbers.value, score.numbers.low, score.numbers.high)
            found.setdefault(score.measure.name, []).append(one)
    return found


def put_on_board(campaign: Campaign, by: User) -> None:
    with inline:
        publish(campaign, by)
    run_all()


def test_a_kind_of_judging_changes_no_number_of_another(
    task: Task, campaigns: dict[str, Campaign], ada: User
) -> None:
    alone = {}
    for one in campaigns.values():
        JudgementTable.objects.all().delete()
        put_on_board(one, ada)
        shown = numbers(task)
        alone |= {column: shown[column] for column in one.columns}
        others = set(shown) - set(one.columns)
        assert all(value is None for x in others for value, *_ends in shown[x])
    names = [*campaigns]
    for first in range(len(names)):  # so each two come in either order
        order = names[first:] + names[:first]
        JudgementTable.objects.all().delete()
        for name in order:
            put_on_board(campaigns[name], ada)
        assert numbers(task) == alone, order
    # Put there once more, a kind takes the place of its own values alone.
    put_on_board(campaigns["pairs"], ada)
    assert numbers(task) == alone
    (about, *_more) = JudgementTable.objects.filter(replaced_at=None)
    assert about.about["campaign"] == "pairs"
    beside = {one["campaign"] for one in about.about["beside"]}
    assert beside == {"slider", "scale"}


def test_who_has_values_of_another_kind_alone_keeps_no_earlier_value(
    task: Task, campaigns: dict[str, Campaign], ada: User
) -> None:
    """A system without a rating is no reason to refuse where it never had one."""
    put_on_board(campaigns["slider"], ada)
    pairs = campaigns["pairs"]
    lost = Submission.objects.order_by("received_at").first()
    assert lost is not None
    votes = Vote.objects.filter(assignment__judge__campaign=pairs)
    votes.filter(assignment__first__submission=lost).delete()
    votes.filter(assignment__second__submission=lost).delete()
    found = standing(pairs, CampaignVotes(pairs))
    assert [one.submission for one in found.unrated] == [lost]
    put_on_board(pairs, ada)
    shown = numbers(task)
    assert [value is None for value, *_ends in shown["rating"]].count(True) == 1
    assert all(value is not None for value, *_ends in shown["adequacy"])


def test_tables_that_came_meanwhile_are_not_overwritten(
    task: Task,
    campaigns: dict[str, Campaign],
    ada: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two organizers press the button of two campaigns at once."""
    checked = judgements._check_table
    first = True

    def other_first(*given: Any) -> Any:
        nonlocal first
        if first:
            first = False
            put_on_board(campaigns["slider"], ada)
        return checked(*given)

    monkeypatch.setattr(judgements, "_check_table", other_first)
    with pytest.raises(Refusal, match="came meanwhile"), inline:
        publish(campaigns["pairs"], ada)
    assert all(value is not None for value, *_ends in numbers(task)["adequacy"])


def test_a_task_that_lacks_measures_of_the_votes_is_refused_whatever_else_it_has(
    ada: User, ben: User
) -> None:
    beside = "fluency = mean(fluency)"
    task = people_task(ada, [MEASURES[0], "wim = mean(wim)", beside])
    for quality in (1, 2):
        system(task, ben, quality)
    for more, lacking in zip(KINDS.values(), ("win", "adequacy", "style"), strict=True):
        lines = rf"{lacking} = \w+\({lacking}\).*make a new task"
        with pytest.raises(Refusal, match=lines):
            campaign_of(task, **more)


def test_a_task_with_a_scorer_that_lacks_measures_is_sent_to_the_page_that_takes_them(
    ada: User,
) -> None:
    task = create_task(bundle(slug="herons"), ada)
    campaign = Campaign(phase=task.phases.get(), kind="pairs")
    with pytest.raises(Refusal, match="Write them on the page Scoring"):
        require_columns(campaign)


def test_a_task_with_a_scorer_gets_the_measures_of_each_kind(
    ada: User,
) -> None:
    task = create_task(bundle(slug="herons"), ada)
    phase = task.phases.get()
    for number, more in enumerate(KINDS.values(), 1):
        campaign = Campaign(phase=phase, kind=more.get("kind", "pairs"))
        asked = more.get("questions", "Which is better?")
        campaign.questions = questions.asked_in(campaign.kind, [asked])[0]
        setup._declare(campaign)
        require_columns(campaign)
        setup._declare(campaign)
        task.refresh_from_db()
        assert len(task.judgements) == number + 1
