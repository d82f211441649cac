"""Pages of tasks that move here in tests of the whole site."""

from leaderboard.extras.moving.models import ImportReport
from leaderboard.tasks.models import Task
from tests.organize.matrix_access import EDIT
from tests.organize.routes import form

LIST = "a list of past submissions comes in a zip; tested with such lists"
ROUTES = {
    "organize-import-report": form(EDIT, post={}),
    "organize-past-submissions": form(EDIT, post={}, idle=LIST),
}


def fill(task: Task) -> None:
    """The rows that a task can have."""
    ImportReport.objects.create(task=task, remarks=[])
