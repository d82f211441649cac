"""Campaigns of version 0.3 with options that are gone go on after an upgrade."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.judging.assignment import begin, next_for
from leaderboard.extras.judging.board_note import sentences
from leaderboard.extras.judging.models import Assignment, Campaign, Vote
from leaderboard.extras.judging.results import CampaignVotes
from leaderboard.tasks.models import Notice
from leaderboard.teams.models import User
from tests.extras.judging.campaigns import (
    campaign_of,
    people_task,
    store_votes,
    system,
    vote_all,
)
from tests.extras.judging.test_votes import put_on_board
from tests.operations.test_migrating import migrated, newest

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases("sql")]
OLD = [("judging", "0011_covariates")]


@pytest.fixture
def campaign(ada: User, ben: User) -> Campaign:
    """A campaign of three systems in which somebody has judged, and beside it one that
    has no such options, of which the upgrade says nothing."""
    task = people_task(ada)
    for quality in (1, 2, 3):
        system(task, ben, quality)
    campaign_of(task, title="Plain")
    made = campaign_of(task, per_unit=3)
    store_votes(begin(made), most=15)
    return made


@pytest.fixture
def old_campaigns(campaign: Campaign, settings: Any) -> Iterator[Callable[[], Any]]:
    """Goes back to before the upgrade, and gives the rows of campaigns as they are."""
    settings.MIGRATION_MODULES = {}  # which the tests have switched off
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    for key in MigrationExecutor(connection).loader.graph.nodes:
        recorder.record_applied(*key)
    try:
        yield lambda: migrated(OLD).get_model("judging", "Campaign").objects
    finally:
        migrated(newest())
        recorder.flush()


def stored() -> list[Any]:
    return [
        list(rows.order_by("pk").values())
        for rows in (Assignment.objects, Vote.objects)
    ]


def test_a_campaign_that_chose_pairs_goes_on_with_balanced_ones(
    campaign: Campaign, old_campaigns: Any
) -> None:
    before = stored()
    old_campaigns().filter(pk=campaign.pk).update(adaptive=True)
    migrated(newest())
    assert stored() == before
    assert "come equally often" in Notice.objects.get().text
    campaign = Campaign.objects.get(pk=campaign.pk)
    judge = begin(campaign)
    assert next_for(judge) is not None
    vote_all(judge)
    assert len(CampaignVotes(campaign).counted_rows) == 3 * campaign.units.count()


def test_a_campaign_with_covariates_has_its_board_and_then_ratings_without_them(
    campaign: Campaign, old_campaigns: Any, ada: User
) -> None:
    put_on_board(campaign, ada)
    before, scores = stored(), board_of(campaign)
    assert len(scores) == 3
    effect = ["length", 40.0, 12.0, 68.0]
    old = old_campaigns().filter(pk=campaign.pk)
    old.update(covariates=["length", "side"], published_effects=[effect])
    Notice.objects.all().delete()
    migrated(newest())
    assert (stored(), board_of(campaign)) == (before, scores)
    assert "no longer take that into account" in Notice.objects.get().text
    campaign = Campaign.objects.get(pk=campaign.pk)
    (sentence,) = sentences(campaign.phase)
    assert sentence == "Signs: 15 judgements by 1 people."
    put_on_board(campaign, ada)
    assert board_of(campaign) == scores


def board_of(campaign: Campaign) -> list[Any]:
    """The submissions of the board with their values."""
    rows = board(BoardQuery(campaign.phase, everything=True)).rows
    return [(row.submission, [score.value for score in row.scores]) for row in rows]
