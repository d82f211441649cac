"""Baselines of organizers: sent by form or bundle, scored, marked, never ranked."""

import io
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.organize.baselines import (
    entry_of_organizers,
    send_baseline,
)
from leaderboard.organize.bundle import import_plan
from leaderboard.sandbox.queue import JobQueue, Priority, QueueFull
from leaderboard.submissions import accept, evaluation
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.participation import participation_of
from leaderboard.teams.models import Team, User
from scoring.formats.bundle import zip_files
from tests.leaderboard.small import both, one_wrong, perfect
from tests.organize.bundles import full_bundle

pytestmark = pytest.mark.django_db
ROOT = "/tasks/otters/organize/"


def form(phase: Phase, **files: bytes) -> dict[str, Any]:
    sent = {
        f"file_{name}": SimpleUploadedFile(f"{name}.conllu", data)
        for name, data in files.items()
    }
    about = {"system": "first-word", "description": "", "key": uuid4().hex}
    return {**about, "phases": [phase.pk], **sent}


def score_all() -> None:
    for sent in Submission.objects.all():
        for waiting in sent.evaluations.filter(state="queued"):
            assert evaluation.run(waiting.pk)


def test_a_baseline_that_finds_no_room_to_be_checked_is_asked_for_again(
    phase: Phase, ada_s: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_queue: JobQueue, _priority: Priority) -> None:
        raise QueueFull

    monkeypatch.setattr(JobQueue, "slot", full)
    sent = form(phase, **both({"north": one_wrong()}))
    answer = ada_s.post(ROOT + "baselines/", sent)
    assert answer.status_code == 422
    assert "Too many files wait to be checked" in answer.content.decode()
    assert answer.context["form"]["key"].value() == sent["key"]
    assert not Submission.objects.exists()


def test_a_baseline_stands_on_the_board_without_a_rank(
    phase: Phase, ada_s: Client, ada: User
) -> None:
    files = both({"north": one_wrong()})
    assert ada_s.post(ROOT + "baselines/", form(phase, **files)).status_code == 302
    score_all()
    (row,) = board(BoardQuery(phase)).rows
    assert (row.system, row.baseline, row.ranked) == ("first-word", True, False)
    assert row.team == "Organizers of Otter Parsing"
    assert participation_of(ada, phase.task) is None  # and may still take part
    assert "Scored" in ada_s.get(ROOT + "baselines/").content.decode()


@pytest.mark.parametrize("state", ["over", "upcoming"])
def test_a_baseline_is_scored_before_and_after_the_phase(
    state: str, phase: Phase, ada_s: Client
) -> None:
    days = timedelta(days=5 if state == "upcoming" else -5)
    phase.opens, phase.closes = phase.opens + days, timezone.now() + days
    phase.save()
    ada_s.post(ROOT + "baselines/", form(phase, **both()))
    sent = Submission.objects.get()
    assert (sent.evaluations.count(), sent.late) == (1, False)


def test_a_broken_baseline_is_told_with_its_line(phase: Phase, ada_s: Client) -> None:
    broken = perfect().replace(b"\t2\tdet", b"\tx\tdet")
    answer = ada_s.post(ROOT + "baselines/", form(phase, north=broken))
    assert answer.status_code == 422
    assert answer.context["problems"][0].line == 2
    assert not Submission.objects.exists()


def test_sending_a_baseline_twice_sends_it_once(phase: Phase, ada_s: Client) -> None:
    for _ in range(2):
        sent = {**form(phase, **both()), "key": "one"}
        assert ada_s.post(ROOT + "baselines/", sent).status_code == 302
    assert Submission.objects.count() == 1


def test_another_baseline_from_a_used_form_is_not_swallowed(
    phase: Phase, ada_s: Client
) -> None:
    sent = {**form(phase, **both()), "key": "one"}
    ada_s.post(ROOT + "baselines/", sent)
    other = {**form(phase, **both({"north": one_wrong()})), "key": "one"}
    answer = ada_s.post(ROOT + "baselines/", other)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "This form was sent before" in page and 'value="one"' not in page


def test_a_baseline_stays_as_it_was_sent_when_its_phase_gets_a_test_set(
    phase: Phase, ada: User
) -> None:
    phase.test_sets.set(phase.task.test_sets.filter(name="south"))
    files = {
        one: SimpleUploadedFile(f"{one.name}.conllu", both()[one.name])
        for one in phase.task.test_sets.all()
    }
    about = {"system": "first-word", "description": "", "phases": (phase,)}
    baseline = {**about, "files": files, "key": "one"}
    first = send_baseline(phase.task, ada, **baseline)
    phase.test_sets.set(phase.task.test_sets.all())
    assert send_baseline(phase.task, ada, **baseline) == first


def test_a_baseline_needs_a_file_that_its_phase_scores(
    phase: Phase, ada_s: Client
) -> None:
    answer = ada_s.post(ROOT + "baselines/", form(phase))
    assert answer.status_code == 422
    assert "Choose a file" in answer.content.decode()
    phase.test_sets.set(phase.task.test_sets.filter(name="south"))
    answer = ada_s.post(ROOT + "baselines/", form(phase, north=perfect()))
    assert "no file for a test set" in answer.content.decode()


def test_a_removed_baseline_leaves_the_board(phase: Phase, ada_s: Client) -> None:
    ada_s.post(ROOT + "baselines/", form(phase, **both()))
    score_all()
    sent = Submission.objects.get()
    assert ada_s.post(f"{ROOT}baselines/{sent.pk}/remove/").status_code == 302
    assert not board(BoardQuery(phase)).rows
    assert Submission.objects.get().withdrawn_at is not None


def test_out_of_a_draft_a_baseline_goes_without_a_trace(
    ada: User, ada_s: Client
) -> None:
    import_plan(load(full_bundle()), ada)
    sent = Submission.objects.get()
    ada_s.post(f"{ROOT}baselines/{sent.pk}/remove/")
    assert not Submission.objects.exists()


def test_a_submission_of_a_team_cannot_be_removed_as_a_baseline(
    phase: Phase, ada_s: Client
) -> None:
    ada_s.post(ROOT + "baselines/", form(phase, **both()))
    sent = Submission.objects.get()
    Submission.objects.update(baseline=False)
    assert ada_s.post(f"{ROOT}baselines/{sent.pk}/remove/").status_code == 404


def test_no_file_is_read_while_a_lock_is_held(
    phase: Phase, ada: User, ada_s: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite nobody else could write meanwhile."""
    find, depths = accept.find_problems, []

    def found(*args: Any) -> Any:
        depths.append(len(connection.savepoint_ids))
        return find(*args)

    monkeypatch.setattr(accept, "find_problems", found)
    outside = len(connection.savepoint_ids)
    ada_s.post(ROOT + "baselines/", form(phase, **both()))
    assert depths == [outside]
    import_plan(load(full_bundle(slug="beavers")), ada)  # read by `load`
    assert depths == [outside]
    assert Submission.objects.filter(baseline=True).count() == 2


def test_a_team_of_that_name_keeps_it(task: Task, ben: User) -> None:
    Team.found("Organizers of Otter Parsing", ben)
    entry = entry_of_organizers(task)
    assert entry.team.name == "Organizers of Otter Parsing 2"
    assert entry.team.members.count() == 0


def test_a_bundle_with_baselines_needs_somebody_who_sends_them(
    tmp_path: Any, ada: User
) -> None:
    path = tmp_path / "otters.zip"
    path.write_bytes(zip_files("otters.zip", full_bundle().files).single())
    with pytest.raises(CommandError, match="organizer"):
        call_command("import_task", str(path))
    assert not Task.objects.exists()
    call_command("import_task", str(path), organizer=ada.email)
    assert Submission.objects.get().system == "first-word"


def test_a_bundle_with_baselines_can_be_uploaded(ada_s: Client) -> None:
    file = io.BytesIO(zip_files("otters.zip", full_bundle().files).single())
    file.name = "otters.zip"
    assert ada_s.post("/tasks/new/", {"bundle": file}).status_code == 302
    sent = Submission.objects.get()
    assert (sent.baseline, sent.phase.name) == (True, "dev")


def test_the_list_asks_the_same_questions_however_many_there_are(
    phase: Phase, ada_s: Client, django_assert_max_num_queries: Any
) -> None:
    ada_s.post(ROOT + "baselines/", form(phase, **both()))
    score_all()
    with django_assert_max_num_queries(40) as few:
        ada_s.get(ROOT + "baselines/")
    number = len(few)
    for _ in range(3):
        ada_s.post(ROOT + "baselines/", form(phase, **both()))
    score_all()
    ada_s.get(ROOT + "baselines/")  # stores their numbers
    with django_assert_max_num_queries(number):
        ada_s.get(ROOT + "baselines/")
