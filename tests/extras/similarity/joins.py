"""The probe report in tests of the whole site."""

from tests.organize.matrix_access import SEE
from tests.organize.routes import read

ROUTES = {"organize-probes": read(SEE)}
