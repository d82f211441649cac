"""Hostile scoring programs get nothing, and honest runs after them score."""

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from tests.leaderboard.hostile_programs import HOSTILE, LOCKED
from tests.marks import sample

# The real sandbox
pytestmark = pytest.mark.thorough
SCORE = 0.75  # three of four answers are right
# Root drops to another account, so that both are seen; others only have their own.
USERS = ["root", "nobody"] if os.geteuid() == 0 else ["this account"]


FREE = [name for name in HOSTILE if HOSTILE[name].free]
LEAVING = [name for name in HOSTILE if HOSTILE[name].leaves]
SHARE = 16


@cache
def results(user: str, share: int, free: str = "") -> dict[str, Any]:
    account = user if user == "nobody" else ""
    names = sample(FREE, share) if free else sample(HOSTILE, share)
    names |= set() if free else sample(LEAVING, share)
    module = "tests.leaderboard.hostile_programs"
    argv = [sys.executable, "-m", module, account, free, *sorted(names)]
    ended = subprocess.run(argv, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    # A fork that should not have been possible may print as well: the last line counts.
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


@pytest.mark.sampled(SHARE, by="name")
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_gets_nothing(name: str, user: str, share: int) -> None:
    hostile, came = HOSTILE[name], results(user, share)[name]
    assert came["got"] == [] and came["harmed"] == []
    assert came["alive"] == [] and came["unprintable"] == []
    if hostile.fault:
        assert came["end"].startswith(hostile.fault)
    else:
        assert (came["end"], came["tried"] > 0) == ("", True), came["output"]


@pytest.mark.sampled(SHARE, by="name")
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", HOSTILE)
def test_it_gets_nothing_as_code_of_a_team_and_no_score(
    name: str, user: str, share: int
) -> None:
    hostile, came = HOSTILE[name], results(user, share)[name]
    assert came["got_as_code"] == [] and not came["scored_as_code"]
    said, expected = came["refused_as_code"], sentence_for_code(name, hostile.fault)
    # Attempts that were all refused end well, and leave nothing that can be scored.
    assert bool(said) == bool(expected) and len(said) <= 1
    assert not said or said[0].startswith(expected)


def sentence_for_code(name: str, fault: str) -> str:
    """What a team reads where a program of organizers ends with this fault, if any."""
    if "names that no text" in name:
        return "your code wrote a file with a name"
    if fault.startswith("the program needed"):
        return fault.replace("the program", "your code", 1)
    return "your code failed" if fault else ""  # a crash, or an end from within


@pytest.mark.sampled(SHARE, by="name")
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", HOSTILE)
def test_an_honest_run_scores_after_it(name: str, user: str, share: int) -> None:
    came = results(user, share)[name]
    assert (came["left"], came["honest"]) == ([], SCORE)


@pytest.mark.sampled(SHARE, by="name")
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", LEAVING)
def test_what_a_killed_worker_leaves_of_it_harms_no_run_and_goes_after_a_day(
    name: str, user: str, share: int
) -> None:
    came = results(user, share)[name]
    assert came["left_by_killed_worker"] == ["run-killed"]
    assert (came["honest_beside_it"], came["honest_a_day_later"]) == (SCORE, SCORE)
    assert (came["removed"], came["left_later"]) == (1, [])


@pytest.mark.sampled(SHARE, by="name")
@pytest.mark.parametrize("name", FREE)
def test_without_a_sandbox_it_would_get_something(name: str, share: int) -> None:
    """So that an attempt that is written wrongly is not taken for a refused one."""
    assert results(USERS[0], share, "free")[name] >= HOSTILE[name].free


@pytest.mark.sampled(SHARE)
@pytest.mark.parametrize("user", USERS)
def test_a_folder_that_cannot_be_looked_into_counts_as_over_the_limit(
    user: str, share: int
) -> None:
    sees_all = os.geteuid() == 0 and user != "nobody"
    assert results(user, share)[LOCKED] == ("" if sees_all else "hidden")


def test_the_table_has_programs_of_every_group() -> None:
    groups = {name.partition(":")[0] for name in HOSTILE}
    assert len(HOSTILE) >= 40 and len(groups) >= 10
