import re
from collections import Counter
from datetime import UTC, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from benchmarks.ostrel.__main__ import TEXTS
from leaderboard.demo.story import (
    BASELINE,
    LOGINS,
    SUBMISSIONS,
    TASKS,
    TEAMS,
    DemoSubmission,
    DemoTask,
    moment,
)
from tests.demo.naive import (
    Counts,
    las_counts,
    paired_error,
    ratio,
    standard_error,
)

NOW = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)
OVER, RUNNING, COMING = TASKS
BOARDS = [(OVER, "test"), (RUNNING, "dev"), (RUNNING, "test")]
BOARD_IDS = [f"{task.slug}-{phase}" for task, phase in BOARDS]
TIED = {"kite-1.0", "lantern-c"}


def phases(task: DemoTask) -> dict[str, Any]:
    return {phase["name"]: phase for phase in task.manifest(NOW)["phases"]}


@cache
def counts(submission: DemoSubmission) -> dict[str, Counts]:
    task = submission.task
    return {
        name: las_counts(task.gold(name).decode(), text)
        for name, text in submission.files().items()
    }


def score(submission: DemoSubmission) -> float:
    """Mean LAS over the test sets of the phase, 0 for a missing one."""
    wanted = phases(submission.task)[submission.phase]["test_sets"]
    return sum(ratio(part) for part in counts(submission).values()) / len(wanted)


def error(one: DemoSubmission, other: DemoSubmission | None = None) -> float:
    """Standard error of a score, or of the difference between two."""
    mine = counts(one)
    if other is None:
        parts = [standard_error(part) for part in mine.values()]
    else:
        theirs = counts(other)
        shared = mine.keys() & theirs.keys()
        parts = [paired_error(mine[name], theirs[name]) for name in shared]
    return float(sum(part**2 for part in parts) ** 0.5) / len(parts)


def final(task: object, phase: str) -> list[DemoSubmission]:
    """The last submission of each team, best first."""
    chosen = [s for s in SUBMISSIONS if s.task is task and s.phase == phase]
    last = {s.team: s for s in sorted(chosen, key=lambda s: s.when(NOW))}
    return sorted(last.values(), key=score, reverse=True)


def test_one_task_is_over_one_runs_one_opens_later() -> None:
    over, running, coming = (phases(task).values() for task in TASKS)
    assert all(phase["closes"] < NOW for phase in over)
    assert all(phase["opens"] < NOW < phase["closes"] for phase in running)
    assert all(phase["opens"] > NOW for phase in coming)
    ended = NOW - [*over][-1]["closes"]
    assert timedelta(days=10) < ended < timedelta(days=18)


def test_dates_hold_at_any_hour_of_any_zone() -> None:
    for hour in range(24):
        now = NOW.replace(hour=hour)
        assert all(s.when(now) < now for s in SUBMISSIONS)
    assert moment(NOW, -1, time(9)) == datetime(2026, 3, 3, 9, tzinfo=UTC)


def test_submissions_arrive_while_their_phase_is_open() -> None:
    for s in SUBMISSIONS:
        phase = phases(s.task)[s.phase]
        assert phase["opens"] <= s.when(NOW) < phase["closes"]


def test_daily_limits_are_kept() -> None:
    sent = Counter((s.task.slug, s.phase, s.team, s.day) for s in SUBMISSIONS)
    for (slug, phase, _, _), number in sent.items():
        task = next(task for task in TASKS if task.slug == slug)
        assert number <= phases(task)[phase]["daily_limit"]


def test_eight_systems_of_five_teams_and_one_baseline() -> None:
    for task, phase in BOARDS:
        board = final(task, phase)
        assert len(board) >= 8
        assert [s.team for s in board if s.system is BASELINE] == ["organizers"]
    assert {s.team for s in SUBMISSIONS} == {team.slug for team in TEAMS}


def test_submissions_of_a_board_are_spread_over_weeks() -> None:
    for task, phase in BOARDS:
        days = [s.day for s in SUBMISSIONS if s.task is task and s.phase == phase]
        assert max(days) - min(days) >= 14


@pytest.mark.parametrize(("task", "phase"), BOARDS, ids=BOARD_IDS)
def test_two_systems_are_tied(task: object, phase: str) -> None:
    first, second = (s for s in final(task, phase) if s.system.name in TIED)
    assert first.team != second.team
    assert score(first) - score(second) < min(error(first), error(second))
    assert score(first) - score(second) < error(first, second)


@pytest.mark.parametrize(("task", "phase"), BOARDS, ids=BOARD_IDS)
def test_other_neighbours_are_clearly_apart(task: object, phase: str) -> None:
    board = final(task, phase)
    for above, below in pairwise(board):
        if {above.system.name, below.system.name} != TIED:
            assert score(above) - score(below) > 2 * error(above)
            if len(above.test_sets) == len(below.test_sets):
                assert score(above) - score(below) > 3 * error(above, below)


def test_one_team_sent_only_one_of_two_test_sets() -> None:
    board = final(OVER, "test")
    incomplete = [s for s in board if set(s.files()) != {"river", "hill"}]
    assert [(s.team, list(s.files())) for s in incomplete] == [
        ("plum-orchard", ["river"])
    ]


@pytest.mark.parametrize(("task", "phase"), BOARDS, ids=BOARD_IDS)
def test_teams_improve_over_time(task: object, phase: str) -> None:
    chosen = [s for s in SUBMISSIONS if s.task is task and s.phase == phase]
    for team in {s.team for s in chosen}:
        scores = [score(s) for s in chosen if s.team == team]
        assert scores == sorted(scores)


def test_scores_lie_where_those_of_real_parsers_do() -> None:
    scores = [score(s) for s in final(RUNNING, "test")]
    assert 0.85 < scores[0] < 0.95
    assert 0.4 < scores[-1] < 0.6


def test_logins_are_members_of_teams_and_pretend_to_be_nobody() -> None:
    roles = [role for role, _, _ in LOGINS]
    addresses = {email for team in TEAMS for email, _ in team.members}
    assert roles == ["participant", "organizer", "administrator"]
    assert {email for role, email, _ in LOGINS if role != "administrator"} < addresses
    assert all(email.endswith("@example.org") for email in addresses)
    assert all(len(password) >= 12 for _, _, password in LOGINS)


def test_descriptions_say_at_once_that_the_data_is_synthetic() -> None:
    for task in TASKS:
        assert task.manifest(NOW)["synthetic"]
        text = (task.folder / "description.md").read_text(encoding="utf-8")
        assert text.startswith("> **Synthetic data.**")
        template = (TEXTS / f"{task.slug}.md").read_text(encoding="utf-8")
        assert set(re.findall(r"{(\w+)}", template)) == {"sizes", "example"}


def test_a_reader_sees_how_large_a_system_is_and_no_size_of_rules() -> None:
    sizes = {entry.system.name: entry.facts.get("size") for entry in SUBMISSIONS}
    assert sizes.pop(BASELINE.name) is None
    assert all(size in range(1, 1000) for size in sizes.values())
    for task in {entry.task for entry in SUBMISSIONS}:
        (question,) = task.manifest(NOW)["fact_sheet"]
        assert question["kind"] == "number" and question["name"] == "size"
