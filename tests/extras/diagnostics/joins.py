"""Pages of several test sets in tests of the whole site."""

from tests.extras.diagnostics.components import components
from tests.organize.matrix_access import TASK
from tests.organize.routes import read

__all__ = ["components"]
ROUTES = {
    "across": read(TASK, query="?system={member}"),
    "api-across": read(TASK, query="?system={member}"),
}
