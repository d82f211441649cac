"""The style page in tests of the whole site."""

from tests.organize.matrix_access import OPERATORS
from tests.organize.routes import read

ROUTES = {"style": read(OPERATORS)}
