"""Ratings take into account how long answers are and which stands first."""

import csv
import io
import json
import math
from random import Random
from typing import Any

import pytest

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.judging import assignment
from leaderboard.extras.judging.assignment import Sent, begin
from leaderboard.extras.judging.board_note import sentences
from leaderboard.extras.judging.models import Campaign, JudgedAnswer
from leaderboard.extras.judging.results import VotesOf, systems_of
from leaderboard.extras.judging.setup import CampaignForm
from leaderboard.results.status import receipt_of
from leaderboard.submissions.models import Evaluation
from leaderboard.teams.models import User
from tests.extras.judging.campaigns import (
    campaign_of,
    form_data,
    people_task,
    system,
)
from tests.extras.judging.test_votes import put_on_board

pytestmark = pytest.mark.django_db
BOTH = ["length", "side"]


@pytest.fixture
def campaign(ada: User, ben: User) -> Campaign:
    """Three systems that are equally good; the second answers at twice the length."""
    task = people_task(ada)
    for quality in (1, 2, 3):
        system(task, ben, quality)
    made = campaign_of(task, covariates=BOTH, per_unit=60, daily=500)
    for number, answer in enumerate(JudgedAnswer.objects.select_related("unit")):
        words = 10 + 7 * (number % 5)
        of_second = answer.submission.system.endswith("2")  # type: ignore[union-attr]
        answer.text = "word " * (2 * words if of_second else words)
        answer.save()
    return made


def vote(campaign: Campaign, judges: int = 6) -> None:
    """People like what is longer, and a little what stands first."""
    for number in range(judges):
        judge, random = begin(campaign), Random(number)
        while (one := assignment.next_for(judge, random)) is not None:
            assert one.second is not None
            longer = math.log2(len(one.first.text) / len(one.second.text))
            chance = 1 / (1 + math.exp(-1.2 * longer - 0.3))
            choice = "left" if random.random() < chance else "right"
            key = assignment.new_key()
            assignment.vote(judge, Sent(one.key, key, {"choice": choice}, 5))


def test_a_system_that_writes_at_length_gains_nothing_where_length_counts_not(
    campaign: Campaign, as_user: Any, ada: User
) -> None:
    vote(campaign)
    names = [one.pk for one in systems_of(campaign)]
    found, _votes, _units = VotesOf(campaign).ratings(names)
    plain = Campaign.objects.get(pk=campaign.pk)
    plain.covariates = []
    without, _votes, _units = VotesOf(plain).ratings(names)
    assert without.values[1] > 60 > abs(found.values[1])
    # 400 / ln 10 points for each e-fold of the odds.
    assert found.effects[0] == pytest.approx(1.2 * 400 / math.log(10), rel=0.5)
    page = as_user(ada).get(f"/tasks/signs/organize/judging/{campaign.pk}/").text
    assert f"An answer twice as long is worth {found.effects[0]:.0f} points (" in page
    assert f"To stand first is worth {found.effects[1]:.0f} points (" in page


def test_board_receipt_and_files_say_what_was_taken_into_account(
    campaign: Campaign, as_user: Any, ada: User
) -> None:
    vote(campaign)
    put_on_board(campaign, ada)
    campaign.refresh_from_db()
    (said,) = sentences(campaign.phase)
    assert "alike in this: An answer twice as long is worth" in said
    assert said in as_user(ada).get("/tasks/signs/test/board/").text
    evaluation = Evaluation.objects.filter(results__isnull=False).latest("pk")
    about = receipt_of(evaluation, campaign.test_set).as_json()
    judged = json.loads(about)["counted_elsewhere"]["judged"]
    length, side = judged["covariates"]
    assert (length["covariate"], side["covariate"]) == ("length", "side")
    assert length["low"] < length["points"] < length["high"]
    ranked = board(BoardQuery(campaign.phase, everything=True)).rows
    assert len(ranked) == 3
    place = f"/tasks/signs/organize/judging/{campaign.pk}/votes.csv"
    rows = list(csv.DictReader(io.StringIO(as_user(ada).get(place).text)))
    texts = dict(JudgedAnswer.objects.values_list("submission", "text"))
    lengths = {len(text) for text in texts.values()}
    assert lengths <= {int(row["first_length"]) for row in rows} | {
        int(row["second_length"]) for row in rows
    }


def test_what_votes_do_not_tell_is_said_and_moves_nothing(
    ada: User, ben: User, as_user: Any
) -> None:
    # All answers of the two are of one length.
    task = people_task(ada)
    for quality in (1, 2):
        system(task, ben, quality)
    made = campaign_of(task, covariates=["length"], per_unit=20)
    vote(made, 3)
    page = as_user(ada).get(f"/tasks/signs/organize/judging/{made.pk}/").text
    assert "How long the answers are: the votes do not tell what it is worth" in page


def test_single_answers_have_no_covariates(ada: User) -> None:
    task = people_task(ada, ["adequacy = mean(adequacy)"])
    more = {"kind": "slider", "questions": "adequacy: How much?", "covariates": BOTH}
    form = CampaignForm(task, form_data(task, **more))
    assert form.errors["covariates"] == ["Only of two answers side by side."]
