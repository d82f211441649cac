"""The cast: ada organizes, ben takes part with a team, cy is an outsider."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from leaderboard.boards import page_cache
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.channels import CHANNELS, Channel
from tests.leaderboard.keeping import FEW
from tests.leaderboard.small import bundle
from tests.worlds import person


@pytest.fixture
def ada(stage: bool, db: None) -> User:
    return User.objects.get(name="ada") if stage else person("ada")


@pytest.fixture
def ben(stage: bool, db: None) -> User:
    return User.objects.get(name="ben") if stage else person("ben")


@pytest.fixture
def cy(stage: bool, db: None) -> User:
    return User.objects.get(name="cy") if stage else person("cy")


@pytest.fixture
def task(stage: bool, ada: User) -> Task:
    """An open task with two test sets, north and south."""
    return Task.objects.get() if stage else create_task(bundle(), ada)


@pytest.fixture
def phase(task: Task) -> Phase:
    return task.phases.get()


@pytest.fixture
def entry(task: Task, ben: User) -> Participation:
    """ben's team in the task."""
    return join(task, Team.found("Bens", ben))


@pytest.fixture
def as_user() -> Callable[[User], Client]:
    """A browser logged in as somebody."""

    def login(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return login


@pytest.fixture(params=CHANNELS)
def channel(request: pytest.FixtureRequest) -> Channel:
    """Form and API, one after the other."""
    return CHANNELS[request.param]()


@pytest.fixture
def over(phase: Phase) -> Phase:
    now = timezone.now()
    phase.opens, phase.closes = now - timedelta(days=9), now - timedelta(days=1)
    phase.save()
    return phase


@pytest.fixture
def upcoming(phase: Phase) -> Phase:
    phase.opens = timezone.now() + timedelta(days=1)
    phase.save()
    return phase


@pytest.fixture
def keeping(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pages are kept, in this process: there is no Redis at that address."""
    settings.BOARD_SECONDS = FEW
    monkeypatch.setattr(page_cache, "store", page_cache.Store())
    monkeypatch.setattr(page_cache, "SHARED", "boards-local")
    caches["boards-local"].clear()
    yield
    caches["boards-local"].clear()
