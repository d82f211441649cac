"""A backup is whole, as of one moment, and goes back only as it was."""

import os
import subprocess
import tarfile
import threading
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.functions import Now

from leaderboard.extras.backup import (
    archive,
    creation,
    postgres,
    references,
    restoration,
)
from leaderboard.operations import garbage_collection
from leaderboard.operations.models import BackupRun
from leaderboard.submissions import accept, evaluation, leases
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks import blobs
from leaderboard.tasks.models import Participation, Phase
from tests.campaigns.invariants import violations
from tests.campaigns.site import on_database
from tests.leaderboard.small import both, upload
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("pg_programs"),
    pytest.mark.databases("sql"),
]
DAY = 25 * 3600


def send(phase: Phase, entry: Participation) -> str:
    return str(accept.submit(upload(phase, entry, both())).pk)


class Sender(threading.Thread):
    """Uploads one after the other until told to stop; what was acknowledged."""

    def __init__(self, phase: Phase, entry: Participation) -> None:
        super().__init__(daemon=True)
        self.phase, self.entry = phase, entry
        self.acknowledged: list[str] = []
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.is_set():
            self.acknowledged.append(send(self.phase, self.entry))
        connection.close()

    def __enter__(self) -> "Sender":
        self.start()
        wait_until(lambda: len(self.acknowledged) >= 3, what="uploads go on")
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.join()


@pytest.fixture
def unlimited(phase: Phase) -> Phase:
    phase.daily_limit = None
    phase.save()
    return phase


@pytest.fixture
def made(phase: Phase, entry: Participation, tmp_path: Path) -> Path:
    """A backup of a site with one scored submission."""
    send(phase, entry)
    evaluation.run(Evaluation.objects.get().pk)
    creation.make(tmp_path / "made.tar")
    return tmp_path / "made.tar"


def test_a_backup_made_amid_uploads_holds_what_was_acknowledged_before_it(
    unlimited: Phase,
    entry: Participation,
    fresh_database: str,
    fresh_files: Callable[[], Path],
    tmp_path: Path,
) -> None:
    running, scored = (send(unlimited, entry) for _ in range(2))
    evaluation.run(Evaluation.objects.get(submission=scored).pk)
    leases.claim(Evaluation.objects.get(submission=running).pk)
    with Sender(unlimited, entry) as sender:
        before = list(sender.acknowledged)
        creation.make(tmp_path / "made.tar")
        during = len(sender.acknowledged)
        wait_until(lambda: len(sender.acknowledged) > during, what="they still go on")
    assert (tmp_path / "made.tar").stat().st_mode & 0o777 == 0o600
    fresh_files()
    with on_database(fresh_database):
        call_command("restore", tmp_path / "made.tar", stdout=StringIO())
        assert violations([*before, running, scored]) == []
        assert Evaluation.objects.get(submission=scored).state == EvaluationState.SCORED
        freed = Evaluation.objects.get(submission=running)
        assert (freed.state, freed.lease_token) == (EvaluationState.QUEUED, None)
        assert Submission.objects.count() < 2 + len(sender.acknowledged)


def test_a_restore_costs_no_attempt_of_what_was_being_scored(
    phase: Phase, entry: Participation, settings: Any, tmp_path: Path
) -> None:
    send(phase, entry)
    last = Evaluation.objects.get()
    for attempt in range(1, settings.MOST_ATTEMPTS + 1):
        assert leases.claim(last.pk)
        if attempt < settings.MOST_ATTEMPTS:
            leases.release(Evaluation.objects.filter(pk=last.pk), "it died")
            Evaluation.objects.update(not_before=Now())
    creation.make(tmp_path / "made.tar")
    call_command("restore", tmp_path / "made.tar", replace=True, stdout=StringIO())
    restored = Evaluation.objects.get()
    assert (restored.state, restored.lease_token) == (EvaluationState.QUEUED, None)
    assert restored.attempt == settings.MOST_ATTEMPTS - 1
    assert evaluation.run(restored.pk)
    assert Evaluation.objects.get().state == EvaluationState.SCORED
    assert violations([Submission.objects.get().pk]) == []


def test_a_changed_byte_anywhere_is_found_before_anything_is_touched(
    made: Path, fresh_database: str, fresh_files: Callable[[], Path]
) -> None:
    place, whole = fresh_files(), made.read_bytes()
    with tarfile.open(made) as tar:
        members = tar.getmembers()
    spots = [m.offset + 5 for m in members] + [m.offset_data for m in members]
    spots += [m.offset_data + m.size - 1 for m in members] + [len(whole) - 1]
    with on_database(fresh_database):
        for spot in spots:
            spoilt = bytearray(whole)
            spoilt[spot] ^= 1
            made.write_bytes(spoilt)
            with pytest.raises(CommandError, match="is damaged"):
                call_command("restore", made)
        assert connection.introspection.table_names() == []
    assert not place.exists()


def test_a_backup_that_was_cut_off_is_refused(made: Path) -> None:
    whole = made.read_bytes()
    for length in (0, 700, len(whole) // 2, len(whole) - 12_000):
        made.write_bytes(whole[:length])
        with pytest.raises(archive.Damaged):
            restoration.looked_at(made)


def test_a_backup_is_looked_at_while_the_database_is_away(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(MigrationRecorder, "applied_migrations", away)
    monkeypatch.setattr(connections["default"], "cursor", away)
    told = StringIO()
    call_command("restore", made, check=True, stdout=told)
    assert "unharmed" in told.getvalue()


def test_a_file_that_cannot_be_opened_is_named_without_a_number(tmp_path: Path) -> None:
    for command, file, why in (
        ("restore", tmp_path / "none.tar", "No such file or directory"),
        ("restore", tmp_path, "Is a directory"),
        ("backup", tmp_path / "none" / "made.tar", "No such file or directory"),
    ):
        with pytest.raises(CommandError) as caught:
            call_command(command, file, stdout=StringIO())
        assert "Errno" not in str(caught.value)
        assert str(caught.value).endswith(why) and str(tmp_path) in str(caught.value)


def test_a_site_with_data_is_replaced_only_when_told_so(
    unlimited: Phase, entry: Participation, made: Path
) -> None:
    later = send(unlimited, entry)
    with pytest.raises(CommandError, match="--replace"):
        call_command("restore", made)
    assert Submission.objects.filter(pk=later).exists()
    call_command("restore", made, replace=True, stdout=StringIO())
    assert not Submission.objects.filter(pk=later).exists()
    assert violations([Submission.objects.get().pk]) == []


def test_what_was_there_comes_back_when_the_restored_is_not_sound(
    unlimited: Phase, entry: Participation, made: Path, monkeypatch: Any
) -> None:
    later = send(unlimited, entry)
    monkeypatch.setattr(restoration, "faults", lambda missing: ["a flaw"])
    with pytest.raises(CommandError, match="a flaw"):
        call_command("restore", made, replace=True)
    assert Submission.objects.filter(pk=later).exists()
    assert violations([later]) == []


def test_a_lost_file_is_told_and_the_rest_is_kept(
    phase: Phase, entry: Participation, tmp_path: Path
) -> None:
    send(phase, entry)
    lost = Submission.objects.get().files.get(test_set__name="north").sha256
    Path(storages["blobs"].path(blobs.place(lost))).unlink()
    with pytest.raises(CommandError, match=lost):
        call_command("backup", tmp_path / "made.tar", stdout=StringIO())
    assert restoration.looked_at(tmp_path / "made.tar")["missing"] == [lost]
    blobs.keep(both()["north"])  # other tests store it under the same hash


def test_the_collector_leaves_what_a_backup_is_about_to_copy(
    phase: Phase, entry: Participation, monkeypatch: Any, tmp_path: Path
) -> None:
    content = {name: data + b"\n" for name, data in both().items()}
    submission = accept.submit(upload(phase, entry, content))
    digests = set(submission.files.values_list("sha256", flat=True))
    for digest in digests:
        path = storages["blobs"].path(blobs.place(digest))
        os.utime(path, (time.time() - DAY, time.time() - DAY))
    written = creation._write

    def delete_first(*args: Any) -> Any:
        with monkeypatch.context() as without_rows:
            for rows in ("_digests_in_columns", "_digests_in_json"):
                without_rows.setattr(garbage_collection, rows, lambda *_: iter(()))
            garbage_collection.collect()
        return written(*args)

    monkeypatch.setattr(creation, "_write", delete_first)
    assert creation.make(tmp_path / "made.tar")["missing"] == []


def test_a_folder_gets_dated_backups_and_keeps_the_youngest(
    task: Any, tmp_path: Path
) -> None:
    for day in (1, 2, 3):
        (tmp_path / f"plumbline-2020010{day}T000000Z.tar").touch()
    (tmp_path / "letters.tar").touch()
    call_command("backup", tmp_path, keep=2, stdout=StringIO())
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names[:2] == ["letters.tar", "plumbline-20200103T000000Z.tar"]
    assert len(names) == 3


def test_a_folder_for_dated_backups_that_is_gone_is_named_and_operators_are_told(
    tmp_path: Path,
) -> None:
    gone = tmp_path / "gone"
    with pytest.raises(CommandError, match=f"{gone}: No such file or directory"):
        call_command("backup", gone, keep=2)
    assert BackupRun.objects.get().problem == "none was made: No such file or directory"
    with pytest.raises(CommandError, match="from 1 on, not 0"):
        call_command("backup", tmp_path, keep=0)


def test_an_older_backup_is_never_written_over(made: Path) -> None:
    before = made.read_bytes()
    with pytest.raises(CommandError, match="is there already"):
        call_command("backup", made)
    assert made.read_bytes() == before


def test_a_backup_of_a_newer_version_or_another_database_is_refused(
    made: Path, monkeypatch: Any
) -> None:
    manifest = archive.verify_backup(made)
    for change in (
        {"database": "abacus"},
        {"plumbline_backup": 99},
        {"migrations": [*manifest["migrations"], "teams.9999_wings"]},
    ):
        monkeypatch.setattr(
            archive, "verify_backup", lambda _, new=change: manifest | new
        )
        with pytest.raises(restoration.RestoreRefused):
            restoration.looked_at(made)


def test_a_backup_of_a_site_that_had_an_extra_since_removed_is_restored(
    phase: Phase, entry: Participation, tmp_path: Path
) -> None:
    """Its migrations stay in the table of migrations, and so in later backups too."""
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    recorder.record_applied("contamination", "0001_initial")
    try:
        name = send(phase, entry)
        evaluation.run(Evaluation.objects.get().pk)
        creation.make(tmp_path / "made.tar")
        manifest = restoration.restore(tmp_path / "made.tar", replace=True)
        assert "contamination.0001_initial" in manifest["migrations"]
        assert violations([name]) == []
    finally:
        recorder.record_unapplied("contamination", "0001_initial")


def test_without_its_program_a_postgresql_is_not_backed_up(monkeypatch: Any) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(postgres.NoProgram, match="pg_dump is not on the path"):
        postgres._program("pg_dump")


def test_every_hash_of_a_row_is_a_stored_file_or_said_not_to_be() -> None:
    hashes = {
        f"{model._meta.label}.{field.name}"
        for model, field in references.hash_fields()
        if field.name.endswith("sha256")
    }
    assert hashes - references.NOT_FILES == {
        "code.CodeRun.input_sha256",
        "code.CodeRun.output_sha256",
        "code.HiddenInput.sha256",
        "submissions.JudgementTable.sha256",
        "submissions.SubmittedFile.sha256",
        "submissions.SystemDescription.sha256",
        "tasks.GoldFile.sha256",
        "tasks.TestSet.blind_sha256",
    }


def test_the_list_of_hashes_is_what_other_programs_read(made: Path) -> None:
    place = made.parent / "unpacked"
    place.mkdir()
    subprocess.run(["tar", "-xf", made, "-C", place], check=True)
    checked = subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=place)
    assert checked.returncode == 0


def test_a_backup_that_fails_leaves_a_line_that_names_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device", "/secret/place")

    monkeypatch.setattr(creation, "make", full)
    with pytest.raises(CommandError):
        call_command("backup", tmp_path)
    assert BackupRun.objects.get().problem == "none was made: No space left on device"


def test_a_backup_that_cannot_be_written_is_told_with_its_own_path(
    tmp_path: Path,
) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    for place in (tmp_path / "nowhere" / "a.tar", file / "a.tar", Path("/proc/a.tar")):
        with pytest.raises(CommandError) as caught:
            call_command("backup", str(place))
        assert f"no backup was made: {place}: " in str(caught.value)
        assert ".backup-" not in str(caught.value)
