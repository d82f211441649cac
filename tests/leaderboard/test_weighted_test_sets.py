"""A task whose test sets weigh differently: board, tests, bundle, and what stays."""

import pytest

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.snapshots import board_json
from leaderboard.boards.stored_board import board
from leaderboard.organize.bundle import SentParts, blockers
from leaderboard.results.board_sample import BoardSample, _recount
from leaderboard.submissions.models import Evaluation
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.dump import pack_bundle, plan_of
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.participation import join
from leaderboard.tasks.policy import Part
from leaderboard.teams.models import Team, User
from scoring.formats.bundle import members
from scoring.source import Source
from tests.leaderboard.small import both, bundle, manifest, one_wrong, scored

pytestmark = pytest.mark.django_db


def test_boards_rank_by_the_weighted_mean_and_weights_stay(
    ada: User, ben: User
) -> None:
    """One of eight wrong in the north, of weight 3: (3 * 7/8 + 1 * 1) / 4 = 29/32."""
    north, south = manifest()["test_sets"]
    task = create_task(bundle(test_sets=[{**north, "weight": 3}, south]), ada)
    phase = task.phases.get()
    entry = join(task, Team.found("Bens", ben))
    scored(phase, entry, {**both(), "north": one_wrong()})
    (row,) = (shown := board(BoardQuery(phase))).rows
    assert row.scores[0].value == 100 * 29 / 32
    assert "Scores are the weighted mean of North (3), South (1)." in shown.rule
    assert board_json(shown)["weights"] == {"north": 3, "south": 1}
    # From the counts it is what was stored.
    sample = BoardSample.of(phase, Evaluation.objects.all(), Part.ALL)
    (again,) = _recount(sample, [task.headline_measure])
    stored = Evaluation.objects.get().results["overall"]["las"]
    assert again[0] == stored["value"] == 29 / 32

    plan = plan_of(task)
    written = pack_bundle(plan)
    assert load(Source(written.name, members(written))).test_sets == plan.test_sets
    heavier = [one.with_values(weight=2.0) for one in plan.test_sets]
    other = plan.with_values(test_sets=tuple(heavier))
    found = [one.code for one in blockers(SentParts.of(task), plan, other)]
    assert found == ["weight", "weight"]
