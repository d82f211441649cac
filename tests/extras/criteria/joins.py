"""Pages of combinations in tests of the whole site."""

from collections.abc import Mapping
from typing import Any

from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.organize.matrix_access import EDIT, TASK
from tests.organize.routes import button, form, read

BOTH = {"name": "combination"}
NEW = {"title": "New", "name": "new", "way": "ranks", "measures": ["las", "uas"]}
ROUTES = {
    "combined": read(TASK),
    "combined-csv": read(TASK),
    "front": read(TASK),
    "front-csv": read(TASK),
    "api-combined": read(TASK),
    "api-front": read(TASK),
    "organize-combinations": form(EDIT, post=NEW),
    "organize-combination": form(EDIT, post={**NEW, "title": "Changed"}, named=BOTH),
    "organize-combination-change": button(EDIT, {"to": "remove"}, named=BOTH),
}


def rows_in(task: Task) -> Mapping[str, Any]:
    """A combination and a number, which the pages need."""
    names = [measure.name for measure in task.scorer.fixed_measures][:2]
    task.combinations.create(name="both", title="Both", measures=names)
    task.questions.create(name="price", title="Price", kind="number")
    return {"combination": "both"}


def place(user: User) -> Mapping[str, Any]:
    """The same for the site of which answers of the API are shown."""
    rows_in(Task.objects.get())
    return {}
