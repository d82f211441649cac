"""P13: the same file gives the same bytes, whatever the machine does meanwhile."""

import os
import subprocess
import sys

import pytest
from django.conf import settings

from tests.campaigns.conftest import sizes

pytestmark = pytest.mark.databases("json")


def digest(seed: int, threads: str, hashing: str) -> str:
    """The digest of one scoring in a fresh interpreter under these conditions."""
    env = {
        **os.environ,
        "OPENBLAS_NUM_THREADS": threads,
        "OMP_NUM_THREADS": threads,
        "PYTHONHASHSEED": hashing,
    }
    argv = [sys.executable, "-m", "tests.campaigns.scored_once", str(seed)]
    made = subprocess.run(
        argv, cwd=settings.BASE_DIR, env=env, capture_output=True, text=True, check=True
    )
    return made.stdout.strip()


@sizes(2, 50)
def test_threads_and_hashing_change_no_byte(size: int) -> None:
    seen = set()
    for seed in range(size):
        found = {
            digest(seed, threads, hashing)
            for threads, hashing in (("1", "0"), ("2", "1"), ("4", "random"))
        }
        assert len(found) == 1
        seen |= found
    assert len(seen) == size, "different files differ, so the digest sees the result"
