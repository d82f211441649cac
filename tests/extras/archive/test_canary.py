"""The canary string of a task in what is published of it."""

import io
import zipfile
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.extras.archive import contents
from leaderboard.extras.publishing import croissant
from leaderboard.submissions.kit import kit_of
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.canary import canary_of
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.small import bundle, manifest


@pytest.mark.django_db
def test_the_canary_string_stands_in_what_is_published_and_stays_the_same(
    ada: User,
) -> None:
    closes = (timezone.now() - timedelta(days=1)).isoformat()
    (written,) = manifest()["phases"]
    task = create_task(bundle(phases=[written | {"closes": closes}]), ada)
    canary = canary_of(task)
    assert canary_of(Task.objects.get()) == canary
    phase = Phase.objects.select_related("task").get()
    kit = kit_of(phase, "https://example.org", [])
    with zipfile.ZipFile(io.BytesIO(kit.data)) as archive:
        assert canary in archive.read("otters-test-kit/README.md").decode()
    assert canary in croissant.describe(task)["description"]
    file = io.BytesIO()
    contents.write(task, contents.ArchiveOptions(), file)
    with zipfile.ZipFile(file) as archive:
        for name in ("index.html", "task.json"):
            assert canary in archive.read(name).decode()
