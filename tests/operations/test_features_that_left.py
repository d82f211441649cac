"""A site of version 0.3.0 that used what has left since: it upgrades, and its scores,
boards, records and archives stay as they were."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from leaderboard.extras.archive.contents import ArchiveOptions, write
from leaderboard.extras.oversight.merge_page import merge
from leaderboard.extras.signatures import keys, record
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from plumbline.commands.verify import wrong
from tests.exports.conftest import two_sent
from tests.operations.test_migrating import migrated, newest
from tests.organize.crowd import entered

# Migrations of SQLite run by day in test_migrating.
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.databases("sql", by_day="postgresql"),
]
BOARD = "/tasks/otters/test/board.json?entries=all"


@pytest.fixture
def ended(phase: Phase, entry: Participation) -> Phase:
    """A phase that is over, with two systems on its board."""
    keys.ensure()
    two_sent(phase, entry)
    phase.refresh_from_db()
    phase.closes = timezone.now() - timedelta(minutes=1)
    phase.save()
    return phase


@contextmanager
def upgraded(settings: Any, *before: tuple[str, str]) -> Iterator[Any]:
    """The models of a site at these migrations, which is brought up to date at the end
    of the block."""
    settings.MIGRATION_MODULES = {}
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    for key in MigrationExecutor(connection).loader.graph.nodes:
        recorder.record_applied(*key)
    try:
        yield migrated(list(before)).get_model
    finally:
        migrated(newest())
        recorder.flush()


def signed_receipts(submission: Submission, user: User) -> dict[str, bytes]:
    """The files of the zip that the site gives out."""
    client = Client()
    client.force_login(user)
    answer = client.get(f"/submissions/{submission.pk}/receipts.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def stored(phase: Phase) -> tuple[Any, ...]:
    """Scores, board, record and archive; an archive that verifies."""
    file = io.BytesIO()
    write(phase.task, ArchiveOptions(submissions=True, gold=True), file)
    with zipfile.ZipFile(file) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert list(wrong(files)) == []
    results = dict(Evaluation.objects.values_list("pk", "results"))
    return results, Client().get(BOARD).json(), record.text_of(phase.task), files


def tables() -> set[str]:
    return set(connection.introspection.table_names())


def test_series_of_test_sets_go_and_nothing_else_changes(
    settings: Any, ended: Phase
) -> None:
    before = stored(ended)
    with upgraded(settings, ("criteria", "0002_series")) as model:
        about = {"name": "months", "title": "Months", "phases": ["test"]}
        model("criteria", "Series").objects.create(task_id=ended.task_id, **about)
        about = {"name": "both", "title": "Both", "measures": ["las", "uas"]}
        model("criteria", "Combination").objects.create(task_id=ended.task_id, **about)
        assert "criteria_series" in tables()
    assert "criteria_series" not in tables()
    assert ended.task.combinations.get().measures == ["las", "uas"]
    ended.task.combinations.all().delete()
    assert stored(ended) == before


KNOWN = {f"signatures_{name}" for name in ("knownsite", "knownkey", "foreignreceipt")}


def test_receipts_of_other_sites_go_and_what_this_one_signed_still_verifies(
    settings: Any, ended: Phase, ben: User
) -> None:
    sent = Submission.objects.earliest("received_at")
    before, receipts = stored(ended), signed_receipts(sent, ben)
    public = keys.sign(b"")["key"]
    with upgraded(settings, ("signatures", "0002_receipts_of_other_sites")) as model:
        about = {"name": "There", "address": "https://there.example"}
        site = model("signatures", "KnownSite").objects.create(**about)
        known = model("signatures", "KnownKey").objects
        key = known.create(site=site, public="ab" * 32)
        model("signatures", "ForeignReceipt").objects.create(
            submission_id=sent.pk,
            evaluation_id=sent.evaluations.get().pk,
            site=site,
            key=key,
            sha256="cd" * 32,
            by_id=ben.pk,
        )
        assert tables() >= KNOWN
    assert not tables() & KNOWN
    assert stored(ended) == before
    assert keys.sign(b"")["key"] == public
    assert signed_receipts(sent, ben) == receipts
    assert list(wrong(receipts)) == []


def test_merged_teams_stay_merged_and_requests_of_teams_go(
    settings: Any, ended: Phase, ada: User, cy: User
) -> None:
    past = entered(ended.task, "Cys", cy)
    bens = Participation.objects.get(team__name="Bens")
    dans = Participation.objects.get(team__name="Dans")
    merge(bens, past, ada, "one laboratory")
    before = stored(ended)
    with upgraded(settings, ("tasks", "0039_oldest_board_version")) as model:
        requests = model("tasks", "Merger").objects
        about = {"task_id": ended.task_id, "stays_id": bens.pk}
        requests.create(leaves_id=past.pk, done_at=timezone.now(), **about)
        requests.create(leaves_id=dans.pk, leaves_agreed_id=ada.pk, **about)
        assert "tasks_merger" in tables()
    assert "tasks_merger" not in tables()
    assert stored(ended) == before
    past.refresh_from_db()
    assert (past.merged_into, past.reason) == (bens, "one laboratory")
    client = Client()
    client.force_login(cy)
    assert f'href="/teams/{past.team_id}/"' in client.get("/tasks/otters/team/").text
    dans.refresh_from_db()
    assert dans.status == Participation.Status.ACTIVE
