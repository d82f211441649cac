"""The kit for the overview paper in tests of the whole site."""

from tests.organize.matrix_access import SEE, TASK
from tests.organize.routes import read

README = {"name": "README.txt"}
ROUTES = {
    "organize-paper": read(SEE),
    "paper-entries": read(SEE),
    "task-paper-kit": read(TASK, get=302),
    "paper-kit": read(TASK),
    "paper-kit-file": read(TASK, named=README),
    "chart-pdf": read(TASK),
    "api-pairs": read(TASK),
}
