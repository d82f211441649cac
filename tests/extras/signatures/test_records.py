"""The record tells what became of each public row, and nothing that was not public."""

import io
import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.boards import entries, snapshots
from leaderboard.extras.archive.contents import ArchiveOptions, write
from leaderboard.extras.signatures import keys, record
from leaderboard.extras.signatures.models import RecordedPhase, RecordEntry, SiteKey
from leaderboard.submissions import admin_actions
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from plumbline import ed25519
from plumbline.commands.verify import wrong
from scoring import merkle
from tests.exports.conftest import renamed, sent, two_sent
from tests.leaderboard.small import CANARY
from tests.leaderboard.test_site_locks import locked_elsewhere
from tests.organize.disclosing import salted, under, unrevealed
from tests.scoring import proofs

__all__ = ["sent"]
pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]
Login = Callable[[User], Client]
Sent = list[Submission]
HERE = "/tasks/otters/record"


def lines(task: Task) -> list[dict[str, Any]]:
    record.update_due()
    return [json.loads(line) for line in record.text_of(task).splitlines()]


def test_rows_are_recorded_once_as_everybody_sees_them(task: Task, sent: Sent) -> None:
    first = lines(task)
    assert [line["kind"] for line in first] == ["added", "added"]
    board = Client().get("/tasks/otters/test/board.json?entries=all").json()["board"]
    assert {line["submission"]: line["scores"] for line in first} == {
        row["submission"]: row["scores"] for row in board["rows"]
    }
    assert lines(task) == first


def test_a_job_ends_after_its_time_and_what_is_left_is_recorded_by_the_next(
    task: Task, phase: Phase, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "RUN_SECONDS", 0.0)
    other = Phase.objects.get(pk=phase.pk)
    other.pk, other.name, other.title = None, "next", "Next"
    other.save()
    counts = []
    for _ in range(3):
        record.update_due()
        counts.append(RecordedPhase.objects.count())
    assert counts == [1, 2, 2]


def test_two_workers_do_not_write_records_at_once(task: Task, sent: Sent) -> None:
    with locked_elsewhere(record.CLAIM):
        record.update_due()
        assert not RecordEntry.objects.exists()
    assert len(lines(task)) == 2


def test_a_phase_whose_rows_cannot_be_recorded_keeps_no_other_waiting(
    task: Task,
    phase: Phase,
    sent: Sent,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    other = Phase.objects.get(pk=phase.pk)
    other.pk, other.name, other.title = None, "next", "Next"
    other.save()
    whole = record._update_phase

    def broken(one: Phase, *rest: Any) -> None:
        if one == other:
            raise ValueError("rows of nobody")
        whole(one, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(record, "_update_phase", broken)
        assert len(lines(task)) == 2
    assert "rows of nobody" in caplog.text
    record.update_due()
    assert RecordedPhase.objects.count() == 2


def test_no_entries_are_tested_against_each_other_for_a_record(
    task: Task, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    tested: list[object] = []
    monkeypatch.setattr(entries, "tests_of", lambda *of: tested.append(of))
    assert (len(lines(task)), tested) == (2, [])


def test_a_row_that_is_gone_has_a_reason_that_everybody_may_know(
    task: Task, phase: Phase, sent: Sent, ada: User
) -> None:
    lines(task)
    admin_actions.disqualify(sent[1], ada, "Kolibri was in the training data.")
    gone = lines(task)[2:]
    assert [(line["kind"], line["submission"]) for line in gone] == [
        ("removed", str(sent[1].pk))
    ]
    assert gone[0]["why"] == "taken off by the organizers"
    assert "Kolibri" not in record.text_of(task)
    admin_actions.reinstate(sent[1])
    Submission.objects.filter(pk=sent[0].pk).update(withdrawn_at=timezone.now())
    Phase.objects.filter(pk=phase.pk).touch_boards()
    later = lines(task)[3:]
    assert [(line["kind"], line["submission"]) for line in later] == [
        ("added", str(sent[1].pk)),
        ("removed", str(sent[0].pk)),
    ]
    assert later[1]["why"] == "withdrawn by the team"


def test_scores_that_changed_say_what_was_otherwise_before(
    task: Task, phase: Phase, sent: Sent
) -> None:
    lines(task)
    unrevealed(salted(phase))
    changed = lines(task)[2:]
    assert {line["kind"] for line in changed} == {"rescored"}
    assert {line["why"] for line in changed} == {"part: all before"}
    values = [line["scores"]["las"]["value"] for line in changed]
    assert 0.9375 not in values


def test_lines_of_an_earlier_version_are_read(
    task: Task, phase: Phase, sent: Sent
) -> None:
    """Those of 0.3.0 say how scores were published; rounded ones are exact now."""
    first, second = lines(task)
    for line in (first, second):
        line["publication"] = "grid"
    first["scores"]["las"] |= {"value": 0.9, "informative_units": None}
    for line in (first, second):
        text = snapshots.canonical(line).decode()
        RecordEntry.objects.filter(number=line["number"]).update(text=text)
    Phase.objects.touch_boards()
    *before, changed = lines(task)
    assert before == [first, second]
    assert (changed["kind"], changed["submission"]) == ("rescored", first["submission"])
    assert changed["why"] == "measures or settings of the task"
    assert "publication" not in changed


def test_a_frozen_board_is_recorded_by_its_hash(
    task: Task, phase: Phase, sent: Sent, ada: User
) -> None:
    lines(task)
    now = timezone.now()
    boards = snapshots.as_values(snapshots.public_boards(phase, now))
    taken = snapshots.take(phase, boards, snapshots.Wanted(by=ada, at=now))
    (frozen,) = lines(task)[2:]
    assert (frozen["kind"], frozen["sha256"]) == ("frozen", taken.sha256)


def test_nothing_is_recorded_before_everybody_may_see_it(
    task: Task, phase: Phase, sent: Sent
) -> None:
    unrevealed(phase, "blind")
    assert lines(task) == []
    under(phase, reveal_at=timezone.now() - timedelta(hours=1))
    assert [line["kind"] for line in lines(task)] == ["added", "added"]


def test_before_the_reveal_the_record_has_scores_of_the_public_part_alone(
    task: Task, phase: Phase, sent: Sent
) -> None:
    salted(phase)
    unrevealed(phase)
    recorded = lines(task)
    assert {line["part"] for line in recorded} == {"public"}
    assert 0.9375 not in [line["scores"]["las"]["value"] for line in recorded]


def test_no_name_and_no_gold_is_in_a_record(task: Task, sent: Sent) -> None:
    renamed(sent[0], "kolibri")
    lines(task)
    text = record.text_of(task)
    assert not any(word in text for word in ("kolibri", "Dans", "large", CANARY))


def test_a_draft_has_no_record(task: Task, sent: Sent) -> None:
    Task.objects.update(draft=True)
    assert lines(task) == []
    assert Client().get(f"{HERE}/entries.jsonl").status_code == 404


def test_proofs_of_the_site_hold(task: Task, sent: Sent, ada: User) -> None:
    lines(task)
    admin_actions.disqualify(sent[1], ada, "Gold.")
    entries = [line.encode() for line in json_lines(task)]
    for number, entry in enumerate(entries):
        found = Client().get(f"{HERE}/proof.json?entry={number}").json()
        proof = [bytes.fromhex(step) for step in found["proof"]]
        root, size = signed(found["head"])
        assert proofs.includes(merkle.leaf_hash(entry), number, size, proof, root)
    for first in range(len(entries) + 1):
        found = Client().get(f"{HERE}/proof.json?first={first}").json()
        proof = [bytes.fromhex(step) for step in found["proof"]]
        (old, begun), (new, size) = signed(found["first"]), signed(found["head"])
        assert begun == first
        assert proofs.extends(first, old, size, proof, new)
    for asked in ("entry=3", "entry=-1", "first=4", "size=9", "first=x", "entry=²"):
        assert Client().get(f"{HERE}/proof.json?{asked}").status_code == 404


def json_lines(task: Task) -> list[str]:
    lines(task)
    return record.text_of(task).splitlines()


def signed(head: dict[str, Any]) -> tuple[bytes, int]:
    """Root and size of a head whose signature holds, by a key that is published."""
    signature = head.pop("signature")
    published = Client().get("/.well-known/plumbline-keys.json").json()["keys"]
    assert signature["key"] in [one["key"] for one in published]
    parts = [bytes.fromhex(signature[name]) for name in ("key", "signature")]
    assert ed25519.holds(parts[0], snapshots.canonical(head), parts[1])
    return bytes.fromhex(head["root"]), head["size"]


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_an_archive_holds_without_the_site(
    task: Task, phase: Phase, sent: Sent
) -> None:
    under(phase, closes=timezone.now() - timedelta(minutes=1))
    file = io.BytesIO()
    write(task, ArchiveOptions(), file)
    files = unpacked(file.getvalue())
    assert list(wrong(files)) == []
    assert files["record/entries.jsonl"].count(b"added") == 2
    again = io.BytesIO()
    write(task, ArchiveOptions(), again)
    assert again.getvalue() == file.getvalue()


def test_receipts_and_frozen_boards_hold_without_the_site(
    phase: Phase, sent: Sent, ada: User, ben: User, as_user: Login
) -> None:
    answer = as_user(ben).get(f"/submissions/{sent[0].pk}/receipts.zip")
    files = unpacked(answer.content)
    assert {"receipts/north.json", "receipts/south.json"} <= set(files)
    assert list(wrong(files)) == []
    now = timezone.now()
    boards = snapshots.as_values(snapshots.public_boards(phase, now))
    taken = snapshots.take(phase, boards, snapshots.Wanted(by=ada, at=now))
    signed = snapshots.address_of(taken, "signed-snapshot")
    assert f'href="{signed}"' in Client().get(snapshots.address_of(taken)).text
    files = unpacked(Client().get(signed).content)
    assert list(wrong(files)) == []


def test_a_new_key_is_endorsed_by_the_old_one(db: None) -> None:
    old = keys.sign(b"otters")["key"]
    new = keys.rotate()
    assert keys.sign(b"otters")["key"] == new.public != old
    assert new.endorsed_by == old
    said, proof = keys.endorsed_text(new.public), bytes.fromhex(new.endorsement)
    assert ed25519.holds(bytes.fromhex(old), said, proof)
    listed = [
        (one["key"], bool(one["retired_at"])) for one in keys.published_keys()["keys"]
    ]
    assert listed == [(old, True), (new.public, False)]


def test_a_database_with_another_secret_signs_with_a_key_that_nobody_endorses(
    settings: Any,
) -> None:
    old = keys.sign(b"otters")["key"]
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another"
    assert keys.sign(b"otters")["key"] == old
    settings.SECRET_KEY_FALLBACKS = []
    assert keys.sign(b"otters")["key"] != old
    assert SiteKey.objects.last().endorsed_by == ""


def test_two_that_write_at_once_write_each_number_once(task: Task, sent: Sent) -> None:
    from django.db import IntegrityError, transaction

    lines(task)
    with pytest.raises(IntegrityError), transaction.atomic():
        RecordEntry.objects.create(task=task, number=0, text="{}", digest="0" * 64)
