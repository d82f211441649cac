"""The page of past submissions in tests of the whole site."""

from tests.organize.matrix_access import EDIT
from tests.organize.routes import form

LIST = "a list of past submissions comes in a zip; tested with such lists"
ROUTES = {"organize-past-submissions": form(EDIT, post={}, idle=LIST)}
