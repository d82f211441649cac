"""Campaigns of version 0.3 with options that are gone go on after an upgrade."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

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
from tests.operations.old_sites import note_all_migrations, set_back
from tests.operations.test_migrating import migrated, newest

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases("sql")]
OLD = [("judging", "0011_covariates")]


@pytest.fixture
def campaigns(ada: User, ben: User) -> list[Campaign]:
    """Two campaigns of three systems in which somebody has judged, and beside them one
    that has no such options, of which the upgrade says nothing."""
    task = people_task(ada)
    for quality in (1, 2, 3):
        system(task, ben, quality)
    campaign_of(task, title="Plain")
    made = [campaign_of(task, title=name, per_unit=3) for name in ("Pairs", "Signs")]
    for campaign in made:
        store_votes(begin(campaign), most=15)
    return made


@pytest.fixture
def old_campaigns(
    campaigns: list[Campaign], settings: Any
) -> Iterator[Callable[[], Any]]:
    """Goes back to before the upgrade, and gives the rows of campaigns as they are."""
    settings.MIGRATION_MODULES = {}  # which the tests have switched off
    recorder = note_all_migrations()
    try:
        yield lambda: set_back(*OLD).get_model("judging", "Campaign").objects
    finally:
        migrated(newest())
        recorder.flush()


def stored() -> list[Any]:
    return [
        list(rows.order_by("pk").values())
        for rows in (Assignment.objects, Vote.objects)
    ]


def test_campaigns_with_options_that_are_gone_go_on_without_them(
    campaigns: list[Campaign], old_campaigns: Any, ada: User
) -> None:
    """One way back, as it takes seconds: the one chose pairs, which come in balance
    now; the ratings of the other, on its board, knew of covariates."""
    chose, knew = campaigns
    put_on_board(knew, ada)
    before, scores = stored(), board_of(knew)
    assert len(scores) == 3
    effect = ["length", 40.0, 12.0, 68.0]
    old = old_campaigns()
    old.filter(pk=chose.pk).update(adaptive=True)
    old.filter(pk=knew.pk).update(
        covariates=["length", "side"], published_effects=[effect]
    )
    Notice.objects.all().delete()
    migrated(newest())
    assert (stored(), board_of(knew)) == (before, scores)
    of_pairs, of_covariates = Notice.objects.order_by("pk").values_list(
        "text", flat=True
    )
    assert "come equally often" in of_pairs
    assert "no longer take that into account" in of_covariates
    knew.refresh_from_db()
    (sentence,) = sentences(knew.phase)
    assert sentence == "Signs: 15 judgements by 1 people."
    put_on_board(knew, ada)
    assert board_of(knew) == scores
    chose.refresh_from_db()
    judge = begin(chose)
    assert next_for(judge) is not None
    vote_all(judge)
    assert len(CampaignVotes(chose).counted_rows) == 3 * chose.units.count()


def board_of(campaign: Campaign) -> list[Any]:
    """The submissions of the board with their values."""
    rows = board(BoardQuery(campaign.phase, everything=True)).rows
    return [(row.submission, [score.value for score in row.scores]) for row in rows]
