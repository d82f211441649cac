"""The places for another site that tests of operations have, too."""

from tests.operations.conftest import (  # noqa: F401
    fresh_database,
    fresh_files,
    pg_programs,
)
