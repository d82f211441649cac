"""Feeds in tests of the whole site."""

from tests.organize.matrix_access import PUBLIC, TASK
from tests.organize.routes import read

ROUTES = {"site-feed": read(PUBLIC), "task-feed": read(TASK)}
# What everybody reads of a board elsewhere than on its own page.
PAGES = ("/tasks/otters/feed/", "/feed/")
# What names tasks to everybody.
LISTS = ("/feed/",)
