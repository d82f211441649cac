"""Boards on which a significant difference, once shown, is not taken back."""

import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from leaderboard.boards.board import Board
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.comparison.pairs import pairs
from leaderboard.organize.bundle import export_bundle
from leaderboard.submissions.models import LastingTests, StoredBoard, StoredStatistics
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.files import unzip
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from scoring.source import Source
from scoring.statistics.arrivals import shares
from tests.leaderboard.judged import sent
from tests.organize.crowd import entered, person
from tests.organize.phase_fields import filled

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
UNITS = 60


def bundle(**phase: Any) -> Source:
    opens = timezone.now() - timedelta(days=1)
    table = {
        "plumbline": 1,
        "draft": False,
        "slug": "lasting",
        "title": "Lasting",
        "scorer": {"name": "classes", "headline": "accuracy"},
        "bootstrap": {"resamples": 100, "seed": 7, "level": 0.95},
        "test_sets": [{"name": "only", "gold": "gold.csv"}],
        "phases": [
            {"name": "test", "title": "Test", "opens": opens.isoformat(), **phase}
        ],
    }
    rows = "".join(f"u{i:02},{'ab'[i % 2]}\n" for i in range(UNITS))
    files = {
        "task.yaml": yaml.safe_dump(table).encode(),
        "gold.csv": f"id,label\n{rows}".encode(),
    }
    return Source("lasting", files)


def answers(wrong: int, start: int = 0) -> str:
    """A file with so many wrong answers, from unit `start` on."""
    missed = {(start + i) % UNITS for i in range(wrong)}
    rows = "".join(f"u{i:02},{'ab'[(i + (i in missed)) % 2]}\n" for i in range(UNITS))
    return f"id,label\n{rows}"


def send(task: Task, name: str, wrong: int, start: int = 0) -> None:
    entry = entered(task, f"Team {name}", person(f"{name}@example.org"))
    sent(task, entry, answers(wrong, start), system=name)


def send_runs(task: Task, name: str, *wrong: int, start: int = 0) -> None:
    """A system of several runs, with so many wrong answers each."""
    first, *others = (answers(number, start) for number in wrong)
    test_set = task.test_sets.get()
    files = [
        SimpleUploadedFile(f"{i}.csv", text.encode()) for i, text in enumerate(others)
    ]
    entry = entered(task, f"Team {name}", person(f"{name}@example.org"))
    sent(
        task, entry, first, system=name, more_runs=[{test_set: file} for file in files]
    )


def shown(task: Task) -> Board:
    return board(BoardQuery(task.phases.get()))


def differing(found: Board) -> set[tuple[str, str]]:
    """Pairs of systems, better first, that the board calls different."""
    names = {row.submission: row.system for row in found.rows}
    tests = found.tests
    ids = list(tests.submissions)
    first, second = np.triu_indices(len(ids), 1)
    clear = np.flatnonzero(tests.adjusted_p < 0.05)
    return {(names[ids[first[i]]], names[ids[second[i]]]) for i in clear}


@pytest.fixture
def task(ada: User) -> Task:
    return create_task(bundle(lasting_differences=True, most_runs=3), ada)


def test_each_pair_has_its_own_share_of_the_error_rate(task: Task) -> None:
    send(task, "good", 2)
    send(task, "bad", 16)
    found = shown(task)
    (p,) = found.tests.pairs.p_value
    (adjusted,) = found.tests.adjusted_p
    assert adjusted == pytest.approx(min(1, p / shares(np.array([2]))[0]))
    assert "spent over arrivals" in found.rule


def test_later_systems_take_back_nothing(task: Task) -> None:
    send(task, "good", 1)
    send(task, "bad", 22)
    before = differing(shown(task))
    assert before == {("good", "bad")}
    for i in range(8):
        send(task, f"more-{i}", 8 + i, start=20)
    assert before <= differing(shown(task))


def test_newcomers_whose_runs_vary_more_take_back_nothing(task: Task) -> None:
    """What is usual of runs follows from all systems: without what was stored these
    would make the first pair unsure."""
    send_runs(task, "good", 1, 2, 2)
    send_runs(task, "bad", 24, 25, 26)
    found = shown(task)
    (first_p,) = found.tests.pairs.p_value
    assert differing(found) == {("good", "bad")}
    for i in range(3):
        send_runs(task, f"more-{i}", 1 + i, 24, 48, start=20)
    later = shown(task)
    assert ("good", "bad") in differing(later)
    names = [row.system for row in later.rows]
    good, bad = (names.index(name) for name in ("good", "bad"))
    assert first_p in later.tests.pairs.p_value
    whole = [row.evaluation for row in later.rows]
    anew = later.sample_of([whole[good], whole[bad]]).pairs(later.measure)
    assert anew.p_value[0] == pytest.approx(first_p)
    # Of all five the two would not differ any more.
    unkept = later.sample_of(whole).pairs(later.measure)
    place = [*zip(unkept.first, unkept.second, strict=True)].index(
        (min(good, bad), max(good, bad))
    )
    assert unkept.p_value[place] / shares(np.array([2]))[0] > 0.05


def test_tests_that_stay_are_not_computed_again(task: Task) -> None:
    """Statistics are deleted when nobody needs them any more; these are not."""
    send_runs(task, "good", 1, 2, 2)
    send_runs(task, "bad", 24, 25, 26)
    before = shown(task).tests.pairs.p_value
    send_runs(task, "more", 1, 24, 48, start=20)
    StoredStatistics.objects.all().delete()
    StoredBoard.objects.all().delete()
    after = shown(task).tests.pairs.p_value
    assert before[0] in after
    assert LastingTests.objects.count() == 1


def test_a_newcomer_can_take_back_a_difference_where_the_switch_is_off(
    task: Task,
) -> None:
    phase = task.phases.get()
    phase.lasting_differences = False
    phase.save()
    send(task, "good", 1)
    send(task, "bad", 10, start=5)
    assert differing(shown(task)) == {("good", "bad")}
    for i in range(4):
        send(task, f"more-{i}", 5, start=8 * i)
    assert ("good", "bad") not in differing(shown(task))


def test_comparisons_print_the_same_adjusted_p(task: Task) -> None:
    send(task, "good", 1)
    send(task, "bad", 22)
    found = shown(task)
    (pair,) = pairs(found, [row.submission for row in found.rows])
    assert pair.exact.adjusted == pytest.approx(float(found.tests.adjusted_p[0]))


def test_an_organizer_switches_it_and_the_bundle_says_so(
    ada: User, as_user: Login
) -> None:
    task = create_task(bundle(), ada)
    phase = task.phases.get()
    address = "/tasks/lasting/organize/phases/test/edit/"
    client = as_user(ada)
    assert "Differences that stay" in client.get(address).content.decode()
    answer = client.post(address, filled(phase, lasting_differences="on"))
    assert answer.status_code == 302
    assert Phase.objects.get().lasting_differences
    told = client.get("/api/v1/tasks/lasting/phases/test/").json()
    assert told["lasting_differences"]
    exported = export_bundle(task)
    again = load(unzip(exported.name, io.BytesIO(exported.single())))
    assert again.phases[0].lasting_differences
