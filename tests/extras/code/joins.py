"""The page of teams' code in tests of the whole site."""

from tests.organize.matrix_access import EDIT
from tests.organize.routes import form

ROUTES = {
    "organize-code": form(EDIT, post={}, get=302, idle="no phase takes code"),
}
