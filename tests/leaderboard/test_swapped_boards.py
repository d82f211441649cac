"""A board by a measure that moves in steps: ranges, comparison, and the library."""

from datetime import timedelta

import numpy as np
import pytest
import yaml
from django.test import Client
from django.utils import timezone

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.comparison.pairs import pairs
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.source import Source
from tests.leaderboard.judged import sent
from tests.organize.crowd import entered, person

pytestmark = pytest.mark.django_db
SEGMENTS, SYSTEMS = 50, 8
PAIRWISE = "system_pairwise_accuracy"


def rows(values: np.ndarray) -> str:
    cells = (
        f"s{j},{i},{value!r}"
        for i, row in enumerate(values.tolist())
        for j, value in enumerate(row)
    )
    return "\n".join(["system,segment,score", *cells, ""])


@pytest.fixture
def task(ada: User) -> Task:
    """Three metrics: one follows people, the others hardly do."""
    rng = np.random.default_rng(6)
    people = rng.normal(0, 0.4, SYSTEMS) + rng.normal(size=(SEGMENTS, SYSTEMS))
    opens = timezone.now() - timedelta(days=1)
    table = {
        "plumbline": 1,
        "draft": False,
        "slug": "metrics",
        "title": "Metrics",
        "scorer": {"name": "metrics", "headline": PAIRWISE},
        "bootstrap": {"resamples": 100, "seed": 7, "level": 0.95},
        "test_sets": [{"name": "only", "gold": "gold.csv"}],
        "phases": [{"name": "test", "title": "Test", "opens": opens.isoformat()}],
    }
    files = {
        "task.yaml": yaml.safe_dump(table).encode(),
        "gold.csv": rows(people).encode(),
    }
    task = create_task(Source("metrics", files), ada)
    for name, noise in (("close", 0.2), ("far", 20.0), ("further", 25.0)):
        scores = people + noise * rng.normal(size=people.shape)
        entry = entered(task, f"Team {name}", person(f"{name}@example.org"))
        sent(task, entry, rows(scores), system=name)
    return task


def test_board_and_comparison_tell_a_good_metric_from_poor_ones(
    task: Task, client: Client
) -> None:
    found = board(BoardQuery(task.phases.get()))
    ranges = {row.system: row.standing.range for row in found.rows}
    assert ranges == {"close": "1", "far": "2-3", "further": "2-3"}
    by_names = {
        frozenset((one.first.system, one.second.system)): one.exact
        for one in pairs(found, [row.submission for row in found.rows])
    }
    told = by_names[frozenset(("close", "far"))]
    assert told.p_value is not None and told.adjusted is not None
    assert told.p_value <= told.adjusted < 0.05 and told.won is None
    same = by_names[frozenset(("far", "further"))]
    assert same.adjusted is not None and same.adjusted > 0.05
    page = client.get("/tasks/metrics/test/board/").content.decode()
    assert "significantly better than every other" in page
    chosen = [row.submission for row in found.rows][:2]
    text = client.get("/tasks/metrics/test/compare/", {"submission": chosen})
    assert text.status_code == 200 and "None" not in text.content.decode()
