"""The public archive of a site that keeps its files in an S3-compatible store."""

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.extras.archive import download
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, bundle, scored
from tests.operations.buckets import Store

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]


def test_it_is_published_from_the_bucket_and_withdrawn_from_it(
    store: Store, ada: User
) -> None:
    phase = create_task(bundle(), ada).phases.get()
    scored(phase, join(phase.task, Team.found("Bens", ada)), both())
    phase.closes = timezone.now()
    phase.save()
    assert not download.is_published(phase.task)
    download.publish(phase.task, ada)
    assert store.has(f"site/archives/{download.stored_name(phase.task)}")
    answer = Client().get("/tasks/otters/archive.zip")
    assert answer.status_code == 200 and answer.getvalue().startswith(b"PK")
    assert download.withdraw(phase.task, ada)
    assert Client().get("/tasks/otters/archive.zip").status_code == 404
