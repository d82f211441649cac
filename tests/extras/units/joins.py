"""The page about units in tests of the whole site."""

from tests.organize.matrix_access import SEE
from tests.organize.routes import read

ROUTES = {"organize-items": read(SEE), "separation": read(SEE.signed_in)}
RULES = (SEE.signed_in,)
