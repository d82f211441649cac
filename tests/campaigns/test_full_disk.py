"""P9: a disk that really is full, filled again and again until uploads go through."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.test import Client

from leaderboard.submissions.models import Submission
from leaderboard.tasks import blobs
from leaderboard.tasks.models import Participation
from leaderboard.teams.models import User
from tests.campaigns.invariants import violations
from tests.leaderboard.small import both
from tests.leaderboard.test_uploads import URL, form

pytestmark = [pytest.mark.django_db, pytest.mark.campaign, pytest.mark.databases("sql")]
BLOCK = 4096


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KiB; needs the right to mount."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs root")
    yield tmp_path
    subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


@pytest.fixture
def on_small_disk(
    small_disk: Path, phase: object, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Moves a volume of the site to the small disk; gives a file that fills it up."""
    settings.LEAST_FREE_BYTES = 0

    def move(volume: str) -> Path:
        if volume == "uploads":
            settings.FILE_UPLOAD_TEMP_DIR = str(small_disk)
        else:
            move_blobs(small_disk, monkeypatch)
        return small_disk / "ballast"

    return move


@pytest.mark.parametrize("volume", ["uploads", "blobs"])
def test_however_little_room_there_is_nothing_is_left_half_done(
    volume: str,
    on_small_disk: Callable[[str], Path],
    entry: Participation,
    ben: User,
    as_user: Callable[[User], Client],
) -> None:
    ballast, client, seen = on_small_disk(volume), as_user(ben), []
    files = both({"north": both()["north"] + b"# more\n" * 4000})
    for blocks in range(64, -1, -1):
        fill(ballast, blocks)
        kept = set(blobs.stored_digests())
        answer = client.post(URL, form(**files))
        seen.append(answer.status_code)
        if answer.status_code != 507:
            break
        assert not Submission.objects.exists()
        assert set(blobs.stored_digests()) - kept <= stored_whole(files)
    print(f"P9 {volume}: {seen.count(507)} times full, then {seen[-1]}")
    assert seen[0] == 507, "the full disk was noticed"
    assert seen[-1] in (302, 422), "and it recovered by itself"
    assert violations() == []


def fill(ballast: Path, blocks: int) -> None:
    ballast.unlink(missing_ok=True)
    with ballast.open("wb", buffering=0) as file:
        for _ in range(blocks):
            try:
                file.write(b"x" * BLOCK)
            except OSError:
                return


def move_blobs(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """New blobs go to the small disk; those of the task move along."""
    storage = storages["blobs"]
    for digest in list(blobs.stored_digests()):
        target = place / blobs.place(digest)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(blobs.read(digest))
    monkeypatch.setattr(storage, "_location", place)
    monkeypatch.setitem(storage.__dict__, "base_location", place)
    monkeypatch.setitem(storage.__dict__, "location", str(place))


def stored_whole(files: dict[str, bytes]) -> set[str]:
    return {blobs.digest_of(data) for data in files.values()}
