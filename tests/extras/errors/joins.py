"""The error browser's pages in tests of the whole site."""

from tests.extras.errors.components import components
from tests.organize.matrix_access import TEAM
from tests.organize.routes import read

__all__ = ["components"]
ROUTES = {
    "errors": read(TEAM),
    "losses": read(TEAM),
    "error-unit": read(TEAM, named={"unit": 1}),
}


def of_submission(pk: object) -> list[str]:
    """Addresses of one, to be looked through."""
    return [f"/submissions/{pk}/errors/"]
