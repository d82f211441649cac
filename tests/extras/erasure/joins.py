"""Pages of one's own data in tests of the whole site."""

from tests.organize.matrix_access import PUBLIC
from tests.organize.routes import Route, read

ROUTES = {
    "own-data": Route(
        PUBLIC.signed_in, {}, idle="asks for the password; tested by itself"
    ),
    "own-data-file": read(PUBLIC.signed_in),
}
