"""Code that has taken over a sandboxed job gets nothing, whatever it tries."""

import json
import os
import subprocess
import sys
from functools import cache

import pytest

from tests.leaderboard.attacks import ATTEMPTS, FREE
from tests.marks import sample

# Root drops to another account, so that both are seen; others only have their own.
# The real sandbox
pytestmark = pytest.mark.thorough
USERS = ["root", "nobody"] if os.geteuid() == 0 else ["this account"]


@cache
def results(user: str, share: int, free: str = "") -> dict[str, str]:
    account = user if user == "nobody" else ""
    names = sorted(sample(FREE if free else ATTEMPTS, share))
    argv = [sys.executable, "-m", "tests.leaderboard.attacks", account, free, *names]
    ended = subprocess.run(argv, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    # A fork that should not have been possible may print as well: the last line counts.
    found: dict[str, str] = json.loads(ended.stdout.splitlines()[-1])
    assert sorted(found) == names and names
    return found


@pytest.mark.sampled(7)
@pytest.mark.parametrize("user", USERS)
def test_an_attempt_gets_nothing(user: str, share: int) -> None:
    assert {name: got for name, got in results(user, share).items() if got} == {}


@pytest.mark.sampled(7)
def test_without_a_sandbox_it_would(share: int) -> None:
    """So that an attempt that is written wrongly is not taken for a refused one."""
    got = results(USERS[0], share, "free")
    assert [name for name in got if not got[name]] == []
