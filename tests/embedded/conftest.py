"""A directory whose paths fit into a unix socket's address."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def short_directory() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="pl-", dir="/tmp"))
    yield path
    shutil.rmtree(path)
