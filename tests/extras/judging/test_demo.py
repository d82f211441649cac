"""The judged task of the demonstration has a board of ratings."""

import pytest
from django.utils import timezone

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.demo.loader import _create_people, teams_by_slug
from leaderboard.extras.judging import demo
from leaderboard.extras.judging.assignment import Sent, begin, new_key, next_for, vote
from leaderboard.extras.judging.models import Campaign
from leaderboard.extras.judging.results import CampaignVotes
from leaderboard.teams.models import User
from tests.leaderboard.small import inline


@pytest.mark.django_db
def test_simulated_people_make_a_board_of_ratings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(demo, "PER_UNIT", 4)  # half of the votes say it, too
    _create_people()
    with inline:
        organizer = User.objects.get(email="organizer@example.org")
        demo.load(timezone.now(), organizer, teams_by_slug())
    campaign = Campaign.objects.get()
    whole = demo.PHRASES * demo.PER_UNIT
    assert len(CampaignVotes(campaign).counted_rows) == whole * 2 // 3
    # A visitor who follows the link of the task's page can judge, examples first.
    assert f"]({campaign.get_absolute_url()})" in campaign.phase.task.description
    visitor = begin(campaign)
    for turn in range(3):
        one = next_for(visitor)
        assert one is not None and one.training == (turn < 2)
        vote(visitor, Sent(one.key, new_key(), {"choice": "left"}, 5))
    rows = board(BoardQuery(campaign.phase)).rows
    assert [row.rank is not None for row in rows] == [True] * len(demo.SYSTEMS)
    assert rows[0].system in ("gate-phrases", "kite-phrases")
    assert rows[-1].system == "gravel-phrases"
    assert rows[0].standing.high < len(rows)
