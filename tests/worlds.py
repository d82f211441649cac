"""Worlds that several tests look at: built once, and gone afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from leaderboard.submissions import jobs


@contextmanager
def built_once(blocker: DjangoDbBlocker) -> Iterator[None]:
    """What is built within is rolled back at the end, and no queue hears of it.

    For a fixture of a module: each test changes a copy that is rolled back by itself.
    """
    with blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs.queue, "answers", lambda: False)
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
