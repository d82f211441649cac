"""An archive: what it holds and does not, that it checks itself, and who gets it."""

import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from leaderboard.boards import snapshots
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.archive import check as program
from leaderboard.extras.archive import download
from leaderboard.extras.archive.contents import ArchiveOptions, NotOver, write
from leaderboard.organize.final_results import take_snapshot
from leaderboard.submissions.models import Submission
from leaderboard.tasks.blobs import StoreAway
from leaderboard.tasks.models import Notice, Organizer, Phase, Task
from leaderboard.teams.models import User
from scoring.receipt import load
from tests.exports.conftest import two_sent
from tests.leaderboard.small import CANARY, perfect, set_boards
from tests.organize.crowd import organizing
from tests.organize.disclosing import salted

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]
Login = Callable[[User], Client]
Files = dict[str, bytes]
PAGE = "/tasks/otters/organize/archive/"


@pytest.fixture
def ended(phase: Phase, sent: list[Submission], ada: User) -> Phase:
    """Over and revealed, with a snapshot of an hour ago."""
    now = timezone.now()
    phase.refresh_from_db()
    boards = snapshots.as_values(snapshots.public_boards(phase, now))
    snapshots.take(phase, boards, snapshots.Wanted(by=ada, at=now, title="Early"))
    phase.closes = now - timedelta(minutes=1)
    phase.save()
    return phase


@pytest.fixture
def no_publication_is_left(task: Task) -> Iterator[None]:
    yield
    download.store().delete(download.stored_name(task))


def packed(task: Task, options: ArchiveOptions | None = None) -> bytes:
    file = io.BytesIO()
    write(task, options or ArchiveOptions(), file)
    return file.getvalue()


def unpacked(data: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def checked(folder: Path) -> "subprocess.CompletedProcess[str]":
    """As somebody would who has nothing but Python: no site, no paths, no packages."""
    command = [sys.executable, "-I", "-S", str(folder / "check.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_program_inside_finds_nothing_and_then_every_change(
    task: Task, ended: Phase, tmp_path: Path
) -> None:
    files = unpacked(packed(task, ArchiveOptions(submissions=True)))
    for name, data in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    good = checked(tmp_path)
    boards = sum(name.endswith("rows.json") for name in files)
    listed = len(files["SHA256SUMS"].splitlines())
    assert (good.returncode, good.stdout) == (
        0,
        f"OK: {listed} files, {boards} boards\n",
    )
    assert boards == 7  # main, every entry, named, two test sets; two of the snapshot
    for name in ("style.css", "boards/test/rows.csv", "boards/test/picture.svg"):
        path, data = tmp_path / name, files[name]
        path.write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
        bad = checked(tmp_path)
        assert bad.returncode == 1 and f"{name} was changed" in bad.stdout
        path.write_bytes(data)
    (tmp_path / "boards/more.html").write_text("x")
    assert "boards/more.html was added" in checked(tmp_path).stdout


CHANGES = (
    ("index.html", b">93.75</span>", b">93.85</span>", "las: page 93.85"),
    ("rows.csv", b",0.9375,0.0747", b",0.9376,0.0747", "las: CSV 0.9376"),
    ("rows.json", b"0.9375", b"0.9376", "the rows do not have the hash"),
)


def test_a_number_that_was_changed_with_its_checksum_is_found_too(
    task: Task, ended: Phase, tmp_path: Path
) -> None:
    files = unpacked(packed(task))
    for name, old, new, said in CHANGES:
        for path in ("index.html", "rows.csv", "rows.json"):
            (tmp_path / path).write_bytes(files[f"boards/test/{path}"])
        assert program.board(tmp_path / "rows.json") == []
        changed = files[f"boards/test/{name}"].replace(old, new)
        assert changed != files[f"boards/test/{name}"], name
        (tmp_path / name).write_bytes(changed)
        assert any(said in one for one in program.board(tmp_path / "rows.json"))


def test_the_same_task_gives_the_same_bytes(task: Task, ended: Phase) -> None:
    assert packed(task) == packed(task)


def test_its_numbers_are_those_of_the_live_board(task: Task, ended: Phase) -> None:
    files = unpacked(packed(task))
    live = Client().get("/tasks/otters/test/board.json").json()
    stored = json.loads(files["boards/test/rows.json"])
    assert stored["board"] == live["board"] and stored["sha256"] == live["sha256"]
    for row in board(BoardQuery(ended)).rows:
        page = files["boards/test/index.html"].decode()
        for score in row.scores:
            assert f">{score.printed}</span>" in page and score.interval in page


def test_the_first_page_tells_boards_apart_and_rules_in_words(
    task: Task, ended: Phase, ada: User
) -> None:
    """Three boards of one snapshot; the phase has a clock of its own."""
    Phase.objects.filter(pk=ended.pk).update(time_zone="Asia/Tokyo", counts="chosen")
    phase = Phase.objects.get(pk=ended.pk)
    set_boards(
        task,
        [
            {
                "name": name,
                "title": name.title(),
                "measures": ["las"],
                "headline": "las",
            }
            for name in ("first", "second")
        ],
    )
    take_snapshot(phase, "Now", ada)
    Notice.objects.create(task=task, phase=phase, kind="rules", text="Wider margins.")
    files = unpacked(packed(task))
    assert "JST (Asia/Tokyo) ·" in " ".join(files["log.html"].decode().split())
    page = files["index.html"].decode()
    links = re.findall(r'<li><a href="[^"]*index.html">([^<]*)</a></li>', page)
    assert len(links) == len(set(links))
    assert any(one.startswith("Test: Now, ") for one in links)
    assert any(one.startswith("Test: Now, ") and "Second" in one for one in links)
    assert "Scores are public at once. The submission that" in page
    assert "open, chosen" not in page
    assert page.count("JST (Asia/Tokyo)") == 2


def test_a_receipt_verifies_and_tells_no_name_of_a_file(
    task: Task, ended: Phase, sent: list[Submission]
) -> None:
    sent[0].files.update(name="my secret plan.conllu")
    files = unpacked(packed(task))
    data = files[f"receipts/{sent[0].pk}/north.json"]
    receipt = load("north.json", data)
    assert set(receipt.measures) == {"las", "uas"}
    assert receipt.system["file"] == "north.conllu" and b"secret plan" not in data


def test_gold_and_what_teams_sent_come_to_organizers_who_ask(
    task: Task, ended: Phase, sent: list[Submission]
) -> None:
    plain = unpacked(packed(task))
    assert not any(CANARY.encode() in data for data in plain.values())
    assert not any(name.startswith(("submissions/", "bundle/gold/")) for name in plain)
    assert b"gold/north/gold.conllu" in plain["bundle/task.yaml"]
    full = unpacked(packed(task, ArchiveOptions(submissions=True, gold=True)))
    assert perfect("north") in full.values()
    assert full[f"submissions/{sent[0].pk}/north.conllu"] == perfect("north")
    assert b"Bens" in full["submissions/list.csv"]


def test_what_is_still_withheld_stays_out(task: Task, ended: Phase) -> None:
    """A blind phase that runs, one to come with its own test set, and the split."""
    now = timezone.now()
    salted(ended)
    for name, opens, policy in (("dark", -1, "blind"), ("later", 1, "open")):
        made = Phase.objects.create(
            task=task,
            name=name,
            title=name.title(),
            policy=policy,
            opens=now + timedelta(days=opens),
            closes=now + timedelta(days=9),
            gold_revision=ended.gold_revision,
        )
        made.test_sets.set(task.test_sets.filter(name="south"))
    ended.test_sets.set(task.test_sets.filter(name="north"))
    Phase.objects.get(name="dark").test_sets.set(task.test_sets.filter(name="north"))
    salt = Phase.objects.get(name="test").salt
    files = unpacked(packed(task))
    assert not any(salt.encode() in data for data in files.values())
    assert not any(name.startswith(("boards/dark", "receipts/later")) for name in files)
    bundle = [name for name in files if name.startswith("bundle/")]
    assert not any("south" in name for name in bundle)
    assert b"later" not in files["bundle/task.yaml"]


def test_only_editors_make_one_and_everybody_gets_what_is_published(
    task: Task, ended: Phase, ada: User, as_user: Login, no_publication_is_left: None
) -> None:
    helper = organizing(task, "helper@example.org", Organizer.Role.REVIEWER)
    assert as_user(helper).get(PAGE).status_code == 404
    assert Client().get("/tasks/otters/archive.zip").status_code == 404
    client = as_user(ada)
    answer = client.post(PAGE, {"action": "download", "gold": "on"})
    assert answer["Cache-Control"] == "private, no-store"
    data = answer.getvalue()
    assert any(name.startswith("bundle/gold/") for name in unpacked(data))
    client.post(PAGE, {"action": "publish", "gold": "on", "submissions": "on"})
    public = Client().get("/tasks/otters/archive.zip").getvalue()
    assert not any(
        name.startswith(("submissions/", "bundle/gold/")) for name in unpacked(public)
    )
    told = Notice.objects.get(task=task)
    assert "/tasks/otters/archive.zip" in told.text and told.by == ada
    client.post(PAGE, {"action": "withdraw"})
    assert Client().get("/tasks/otters/archive.zip").status_code == 404


def lines_of(task: Task) -> list[str]:
    return list(Notice.objects.filter(task=task).values_list("text", flat=True))


def test_the_same_archive_is_announced_once(
    task: Task, ended: Phase, ada: User, no_publication_is_left: None
) -> None:
    first = download.publish(task, ada)
    assert download.publish(task, ada) == first
    assert len(lines_of(task)) == 1
    Notice.objects.create(task=task, text="The workshop is in May.", by=ada)
    assert download.publish(task, ada) != first
    assert len(lines_of(task)) == 3


def test_two_clicks_at_once_make_one_line_of_the_log(
    task: Task,
    ended: Phase,
    ada: User,
    monkeypatch: pytest.MonkeyPatch,
    no_publication_is_left: None,
) -> None:
    """The other click comes first while this one has written its file."""
    others = []

    def locked_after_another(pk: int) -> Task:
        monkeypatch.undo()
        others.append(download.publish(task, ada))
        return download.lock_task(pk)

    monkeypatch.setattr(download, "lock_task", locked_after_another)
    assert download.publish(task, ada) == others[0]
    (line,) = lines_of(task)
    assert others[0] in line


def test_an_archive_is_withdrawn_once(
    task: Task, ended: Phase, ada: User, no_publication_is_left: None
) -> None:
    download.publish(task, ada)
    assert download.withdraw(task, ada) and not download.withdraw(task, ada)
    assert len(lines_of(task)) == 2


def test_an_archive_without_a_line_of_the_log_is_none(
    task: Task,
    ended: Phase,
    ada: User,
    monkeypatch: pytest.MonkeyPatch,
    no_publication_is_left: None,
) -> None:
    def fails(**_: object) -> None:
        raise DatabaseError("away")

    with monkeypatch.context() as patched, pytest.raises(DatabaseError):
        patched.setattr(Notice.objects, "create", fails)
        download.publish(task, ada)
    assert not download.is_published(task)
    with monkeypatch.context() as patched, pytest.raises(StoreAway):
        patched.setattr(download, "store", unreachable)
        download.publish(task, ada)
    assert lines_of(task) == []


def unreachable() -> None:
    raise StoreAway("away")


def test_an_archive_is_not_that_of_a_later_task_with_the_same_key(
    task: Task, ended: Phase, ada: User, no_publication_is_left: None
) -> None:
    """A database may use the key again of a row that was rolled back."""
    download.publish(task, ada)
    assert Client().get("/tasks/otters/archive.zip").status_code == 200
    later = task.created_at + timedelta(seconds=1)
    Task.objects.filter(pk=task.pk).update(created_at=later)
    assert Client().get("/tasks/otters/archive.zip").status_code == 404
    assert not download.is_published(Task.objects.get(pk=task.pk))


def test_a_published_archive_outlives_the_change_of_names(
    task: Task, ended: Phase, ada: User, no_publication_is_left: None
) -> None:
    download.publish(task, ada)
    store = download.store()
    with store.open(download.stored_name(task)) as file:
        store.save(f"{task.pk}.zip", file)
    store.delete(download.stored_name(task))
    migration = import_module("leaderboard.tasks.migrations.0014_archives_by_creation")
    migration.rename_archives(apps, None)
    assert Client().get("/tasks/otters/archive.zip").status_code == 200
    assert not store.exists(f"{task.pk}.zip")


def test_nothing_is_archived_before_a_phase_is_over(
    task: Task, sent: list[Submission], ada: User, as_user: Login, tmp_path: Path
) -> None:
    assert as_user(ada).post(PAGE, {"action": "publish"}).status_code == 422
    with pytest.raises(NotOver):
        packed(task)
    out = tmp_path / "a.zip"
    with pytest.raises(CommandError, match="no phase of the task is over"):
        call_command("archive_task", "otters", output=out)
    assert not out.exists()


def test_the_command_writes_the_same_file(
    task: Task, ended: Phase, tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / "a.zip"
    call_command("archive_task", "otters", output=out, with_submissions=True)
    assert out.read_bytes() == packed(task, ArchiveOptions(submissions=True))
    assert str(out) in capsys.readouterr().out
    assert not out.stat().st_mode & 0o077  # what teams sent is for organizers
    with pytest.raises(CommandError, match="there already"):
        call_command("archive_task", "otters", output=out)


def test_an_archive_that_cannot_be_written_is_told_with_its_path(
    over: Phase, tmp_path: Path
) -> None:
    for place in (tmp_path / "nowhere" / "a.zip", Path("/proc/a.zip")):
        with pytest.raises(CommandError, match=str(place)):
            call_command("archive_task", over.task.slug, "-o", str(place))
