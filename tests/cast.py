"""The cast of the site's tests: ada organizes, ben takes part with a team, cy watches.

They are fixtures of every folder (`tests/conftest.py`), and so is their task, the
otters. A module that is marked `one_stage` has them made once: each of its tests
changes a copy that is rolled back. `one_stage(then=sent)` also lets ben's team enter
and calls `sent(phase, entry)`, once: for what all tests of the module begin with. The
task of `one_stage(of=source)` comes from the bundle that `source()` gives.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from leaderboard.submissions.broker import broker
from leaderboard.submissions.models import QuotaCounter, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.channels import CHANNELS, Channel
from tests.leaderboard.small import bundle
from tests.transactions import undone


def person(name: str) -> User:
    return User.objects.create_user(f"{name}@example.org", "x", name=name)


@contextmanager
def built_once(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Context whose rows are rolled back at the end, and of which no queue hears.

    For a fixture of a module, which `db` of pytest-django cannot serve.
    """
    with blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(broker, "answers", lambda: False)
        with undone():
            yield
            transaction.set_rollback(True)


@pytest.fixture(scope="module")
def stage(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: Any
) -> Iterator[bool]:
    """Whether the cast and their task are there already, as `one_stage` asks for."""
    marker = request.node.get_closest_marker("one_stage")
    if marker is None:
        yield False
        return
    with built_once(django_db_blocker):
        owner, member, _ = (person(name) for name in ("ada", "ben", "cy"))
        task = create_task(marker.kwargs.get("of", bundle)(), owner)
        if then := marker.kwargs.get("then"):
            then(task.phases.get(), join(task, Team.found("Bens", member)))
        yield True


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
def entry(stage: bool, task: Task, ben: User) -> Participation:
    """ben's team in the task."""
    entered = Participation.objects.filter(team__name="Bens").first() if stage else None
    return entered or join(task, Team.found("Bens", ben))


@pytest.fixture
def no_otters(stage: bool, db: None) -> None:
    """For a test that makes the otters itself."""
    Task.objects.filter(slug="otters").update(slug="older")


@pytest.fixture
def nothing_sent(stage: bool, db: None) -> None:
    """For a test that is not to begin with what the others of its module begin with."""
    Submission.objects.all().delete()
    QuotaCounter.objects.all().delete()


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
