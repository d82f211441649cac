"""Files are read inline, as in tests of organizers' pages."""

from tests.organize.conftest import everything_inline  # noqa: F401
