"""The archive's pages in tests of the whole site."""

from tests.organize.matrix_access import EDIT, TASK
from tests.organize.routes import form, read

ROUTES = {
    "task-archive": read(TASK, get=404),
    "organize-archive": form(EDIT, post={"action": "publish"}),
}
