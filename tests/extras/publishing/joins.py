"""What carries boards elsewhere, in tests of the whole site."""

from tests.organize.matrix_access import ON_A_BOARD, TASK
from tests.organize.routes import read

ROUTES = {
    "task-cite": read(TASK),
    "system-cite": read(ON_A_BOARD),
    "task-croissant": read(TASK),
    "board-badge": read(TASK, draft=404),
    "board-embed": read(TASK, draft=404),
}
# What everybody reads of a board elsewhere than on its own page.
PAGES = ("/tasks/otters/test/badge.svg", "/tasks/otters/test/embed/")
