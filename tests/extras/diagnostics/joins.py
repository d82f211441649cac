"""Pages of several test sets in tests of the whole site."""

from tests.organize.matrix_access import TASK
from tests.organize.routes import read

ROUTES = {
    "across": read(TASK, query="?system={member}"),
    "api-across": read(TASK, query="?system={member}"),
}
