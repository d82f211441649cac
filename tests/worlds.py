"""Worlds that several tests look at: built once, and gone afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from leaderboard.submissions.broker import broker
from leaderboard.tasks.bundle.create import create_task
from leaderboard.teams.models import User
from tests.leaderboard.small import bundle


@contextmanager
def built_once(blocker: DjangoDbBlocker) -> Iterator[None]:
    """What is built within is rolled back at the end, and no queue hears of it.

    For a fixture of a module: each test changes a copy that is rolled back by itself.
    """
    with blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(broker, "answers", lambda: False)
        with transaction.atomic():
            yield
            transaction.set_rollback(True)


@pytest.fixture(scope="module")
def stage(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: Any
) -> Iterator[bool]:
    """Whether the cast and their task are there already, as `one_stage` asks for."""
    if request.node.get_closest_marker("one_stage") is None:
        yield False
        return
    with built_once(django_db_blocker):
        people = [person(name) for name in ("ada", "ben", "cy")]
        create_task(bundle(), people[0])
        yield True


def person(name: str) -> User:
    return User.objects.create_user(f"{name}@example.org", "x", name=name)
