"""The history of a task in tests of the whole site."""

from tests.organize.matrix_access import EDIT
from tests.organize.routes import read

ROUTES = {"organize-history": read(EDIT)}
