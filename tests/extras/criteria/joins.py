"""Pages of combinations in tests of the whole site."""

from collections.abc import Mapping
from typing import Any

from leaderboard.tasks.models import Task
from tests.organize.matrix_access import TASK
from tests.organize.routes import read

ROUTES = {"combined": read(TASK), "front": read(TASK)}


def rows_in(task: Task) -> Mapping[str, Any]:
    """A combination and a number, which the pages need; nothing in addresses."""
    names = [measure.name for measure in task.scorer.fixed_measures][:2]
    task.combinations.create(name="both", title="Both", measures=names)
    task.questions.create(name="price", title="Price", kind="number")
    return {}
