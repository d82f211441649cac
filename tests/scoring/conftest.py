"""The engine knows no cache: none is emptied before each of its thousands of tests."""

import pytest


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    """Instead of the site's fixture of this name."""
