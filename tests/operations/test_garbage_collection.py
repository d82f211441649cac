"""What crashes leave behind goes; what any row refers to stays."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.storage import storages

from leaderboard.operations import garbage_collection
from leaderboard.submissions import accept
from leaderboard.submissions.models import SubmittedFile
from leaderboard.tasks import blobs
from leaderboard.tasks.models import GoldFile, Participation, Phase, Task, TestSet
from tests.leaderboard.small import both, upload

pytestmark = [pytest.mark.django_db, pytest.mark.databases("sql")]
OLD = 90_000  # seconds: over a day


def path_of(digest: str) -> Path:
    return Path(storages["blobs"].path(blobs.place(digest)))


def age(path: Path) -> Path:
    then = time.time() - OLD
    os.utime(path, (then, then))
    return path


@pytest.fixture
def stranger() -> Iterator[str]:
    """A blob that no row refers to."""
    digest = blobs.keep(b"nobody's")
    yield digest
    path_of(digest).unlink(missing_ok=True)


def test_an_old_file_without_a_row_goes(stranger: str) -> None:
    age(path_of(stranger))
    assert garbage_collection.collect() >= 1
    assert not path_of(stranger).exists()


def test_a_young_file_without_a_row_stays(stranger: str) -> None:
    garbage_collection.collect()
    assert path_of(stranger).exists()


def test_every_kind_of_row_protects_its_file(
    phase: Phase, entry: Participation
) -> None:
    accept.submit(upload(phase, entry, both()))
    option = blobs.keep(b"an option file")
    Task.objects.update(options={"map": [{"file": "map.txt", "sha256": option}]})
    digests = {
        *SubmittedFile.objects.values_list("sha256", flat=True),
        *GoldFile.objects.values_list("sha256", flat=True),
        *TestSet.objects.values_list("blind_sha256", flat=True),
        option,
    }
    for digest in digests:
        age(path_of(digest))
    garbage_collection.collect()
    assert all(path_of(digest).exists() for digest in digests)


def test_files_are_looked_through_a_share_at_a_time(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Millions of digests do not fit into a worker; those of one digit do."""
    accept.submit(upload(phase, entry, both()))
    strangers = {blobs.keep(str(number).encode()) for number in range(40)}
    for digest in strangers:
        age(path_of(digest))
    stored, largest = blobs.stored_digests, []

    def counted(beginning: str) -> list[str]:
        share = list(stored(beginning))
        assert all(digest.startswith(beginning) for digest in share)
        largest.append(len(share))
        return share

    there = len(set(stored()))
    monkeypatch.setattr(blobs, "stored_digests", counted)
    assert garbage_collection.collect() >= len(strangers)
    assert sum(largest) == there and max(largest) < there / 2
    assert not any(path_of(digest).exists() for digest in strangers)


def test_a_file_stored_again_at_the_last_moment_stays(
    stranger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = age(path_of(stranger))
    rename = os.rename

    def stored_again_just_before(source: object, target: object) -> None:
        if source == path:
            monkeypatch.setattr(os, "rename", rename)
            blobs.keep(b"nobody's")
        rename(source, target)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "rename", stored_again_just_before)
    assert not blobs.discard(stranger, time.time() - OLD / 2)
    assert blobs.read(stranger) == b"nobody's"


def test_parts_of_dead_writers_go_when_they_are_old(stranger: str) -> None:
    part = path_of(stranger).with_name(blobs.PART + "x")
    upload_part = Path(settings.FILE_UPLOAD_TEMP_DIR) / "abc.upload.conllu"
    for path in (part, upload_part):
        path.write_bytes(b"half")
    garbage_collection.collect()
    assert part.exists()
    assert upload_part.exists()
    age(part)
    age(upload_part)
    assert garbage_collection.collect() == 2
    assert not part.exists()
    assert not upload_part.exists()
