"""The page of a scoring program in tests of the whole site."""

from tests.organize.matrix_access import EDIT
from tests.organize.routes import form

ROUTES = {
    "organize-program": form(EDIT, post={}, get=302, idle="another scorer counts"),
}
