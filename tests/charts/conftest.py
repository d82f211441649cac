"""A task with three test sets, whose sentences are tales and letters; three systems."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.source import Source
from tests.cast import built_once
from tests.e2e.conftest import static_files, with_genres
from tests.leaderboard.small import bundle, one_wrong, perfect, scored

__all__ = ["static_files"]
SETS = ("north", "south", "west")


@dataclass
class World:
    """`sent`: two of one team, 91.67 and 100, and one of another, 95.83."""

    task: Task
    entry: Participation
    sent: list[Submission]


def build() -> World:
    ada, ben, cy = (
        User.objects.create_user(f"{name}@example.org", "x", name=name)
        for name in ("ada", "ben", "cy")
    )
    task = made(ada)
    phase = task.phases.get()
    entry = join(task, Team.found("Bens", ben))
    other = join(task, Team.found("Cys", cy))
    worse = files(north=one_wrong(), south=one_wrong("south"))
    sent = [
        scored(phase, entry, worse, system="alder"),
        scored(phase, entry, files(), system="birch"),
        scored(phase, other, files(north=one_wrong()), system="cedar"),
    ]
    return World(task, entry, sent)


def made(owner: User) -> Task:
    sets = [{"name": n, "title": n.title(), "gold": f"gold/{n}.conllu"} for n in SETS]
    plain = bundle(test_sets=sets)
    whole = {**plain.files, "gold/west.conllu": perfect("south")}
    with_slices = {
        name: with_genres(data) if name.endswith("conllu") else data
        for name, data in whole.items()
    }
    return create_task(Source(plain.name, with_slices), owner)


def files(**changed: bytes) -> dict[str, bytes]:
    whole = {n: perfect("north" if n == "north" else "south") for n in SETS}
    return {**whole, **changed}


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Once for a file: each test changes a copy that is rolled back."""
    with built_once(django_db_blocker):
        yield build()


@pytest.fixture
def world(built: World, db: None) -> World:
    return built


@pytest.fixture
def sent(world: World) -> list[Submission]:
    return world.sent


@pytest.fixture
def task(world: World) -> Task:
    return Task.objects.get(pk=world.task.pk)


@pytest.fixture
def entry(world: World) -> Participation:
    return world.entry


@pytest.fixture
def phase(world: World) -> Phase:
    return Phase.objects.get(task=world.task)
