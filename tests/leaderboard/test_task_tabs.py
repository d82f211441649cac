"""The tabs of a task: its data, its rules and its results."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.boards import snapshots
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.small import both, scored

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]


def page(name: str) -> str:
    return Client().get(f"/tasks/otters/{name}/").content.decode()


def test_the_data_of_an_open_phase_can_be_taken(phase: Phase) -> None:
    data = page("data")
    for test_set in phase.test_sets.all():
        assert f"/tasks/otters/test/blind/{test_set.name}" in data
    assert "/tasks/otters/test/kit" in data


def test_files_of_a_phase_to_come_are_not_there_yet(phase: Phase) -> None:
    phase.opens = timezone.now() + timedelta(days=1)
    phase.save()
    assert "blind/" not in page("data") and "/kit" not in page("data")


def test_the_rules_say_what_holds_in_each_phase(task: Task, phase: Phase) -> None:
    phase.daily_limit, phase.policy = 3, "blind"
    phase.save()
    task.terms = "Be **fair**."
    task.prizes = 2
    task.save()
    rules = page("rules")
    assert "3 attempts a day" in rules
    assert "Scores are hidden until a date" in rules
    assert "<strong>fair</strong>" in rules
    assert "The first 2 places win a prize." in rules


def test_results_are_those_that_were_declared(
    phase: Phase, entry: Participation, ada: User
) -> None:
    assert "No final ranking yet" in page("results")
    scored(phase, entry, both())
    now = timezone.now()
    boards = snapshots.as_values(snapshots.public_boards(phase, now))
    wanted = snapshots.Wanted(by=ada, at=now, title="Final ranking", final=True)
    taken = snapshots.take(phase, boards, wanted)
    results = page("results")
    assert "No final ranking yet" not in results
    assert taken.sha256[:16] in results


@pytest.mark.parametrize("name", ["data", "rules", "results"])
def test_more_phases_ask_for_no_more(
    phase: Phase, name: str, django_assert_max_num_queries: Any
) -> None:
    sets = list(phase.test_sets.all())
    asked = []
    for number in range(5):
        phase.pk, phase.name, phase.position = None, f"p{number}", number
        phase.save()
        phase.test_sets.set(sets)
        with django_assert_max_num_queries(11) as queries:
            page(name)
        asked.append(len(queries))
    assert asked[0] == asked[-1]
