"""Code that teams send to a task of an ordinary scorer: it runs once for each test set,
and what it writes is checked, scored and ranked as a file would be."""

import re
from datetime import timedelta
from functools import partial
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.extras.code.models import CodeRun, HiddenInput
from leaderboard.extras.code.reruns import run_again, to_run_again
from leaderboard.results.status import evaluation_of
from leaderboard.submissions import evaluation
from leaderboard.submissions.accept import Unfit
from leaderboard.submissions.kit import kit_of
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.errors import ScoringError
from scoring.formats.bundle import zip_files
from scoring.sandbox import scoring_program
from scoring.scorers.program.conventions import code_of, program_of, run_by
from scoring.source import Source
from tests.extras.code.code_task import (
    HEAD,
    LABELS,
    RULE,
    SECRET,
    accuracies,
    code,
    code_bundle,
    code_task,
    give_input,
    newest,
    sent,
    submitted,
)
from tests.joined import leave_extras_out
from tests.leaderboard.small import CANARY, attempts_left
from tests.organize.phase_fields import text

pytestmark = pytest.mark.django_db
REAL = pytest.mark.thorough  # the real sandbox


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    settings.PROGRAMS = "everyone"
    settings.PROGRAM_CPU_SECONDS, settings.PROGRAM_WALL_SECONDS = 4, 60
    settings.PROGRAM_DISK_MB = 8


@pytest.fixture
def task(ada: User) -> Task:
    return code_task(ada)


@REAL
def test_code_runs_once_for_each_test_set_and_its_output_is_scored(task: Task) -> None:
    one = newest(sent(task))
    assert one.state == EvaluationState.SCORED, one.problems
    assert accuracies(one) == {"north": 0.75, "south": 0.5}
    assert one.complete and one.heavy
    runs = CodeRun.objects.filter(evaluation=one).order_by("test_set__position")
    assert [(run.test_set.name, run.output_name) for run in runs] == [
        ("north", "north.csv"),
        ("south", "south.csv"),
    ]


@REAL
def test_the_board_ranks_what_code_scored(task: Task) -> None:
    sent(task)
    sent(task, RULE.replace('"warm" if', '"none" if'), "Terns")
    address = reverse("api-board", args=[task.slug, "test"])
    rows = Client().get(address).json()["rows"]
    assert [(row["team"], row["rank"]) for row in rows] == [("Gulls", 1), ("Terns", 2)]


@REAL
def test_without_input_of_its_own_code_reads_the_blind_file(ada: User) -> None:
    task = create_task(code_bundle(), ada)
    script = HEAD.replace('row["text"]', 'row["id"]') + RULE.removeprefix(HEAD).replace(
        '"sun" in row["text"]', 'row["id"] != "u2"'
    )
    assert accuracies(newest(sent(task, script))) == {"north": 0.75, "south": 0.5}


@REAL
def test_code_never_finds_the_gold(task: Task) -> None:
    looks = HEAD + (
        "for place in (source, source.parent, Path('/'), Path('gold')):\n"
        "    try: print(os.listdir(place))\n"
        "    except OSError as error: print(type(error).__name__)\n"
    )
    submission = sent(task, looks + RULE.removeprefix(HEAD))
    log = CodeRun.objects.filter(evaluation=newest(submission))[0].log
    first, *others = log.splitlines()
    assert first == "['north.csv']" and CANARY not in log
    assert others == ["PermissionError", "PermissionError", "FileNotFoundError"]


@REAL
def test_code_that_fails_while_the_disk_is_full_is_tried_again(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full disks are the site's fault, and nobody is told to mend code for them."""
    monkeypatch.setattr(scoring_program, "LEAST_ROOM", 1 << 62)
    one = newest(sent(task, HEAD + "raise OSError(28, 'No space left on device')"))
    assert (one.state, one.problems) == (EvaluationState.QUEUED, [])
    assert "no room for files" in one.last_error


@REAL
def test_output_of_another_format_is_told_in_the_scorer_s_words(
    task: Task, ada: User, client: Client
) -> None:
    submission = sent(task, RULE.replace('"label"]', "words[-1]]"))
    one = newest(submission)
    assert one.state == EvaluationState.INVALID
    assert "what your code wrote for north" in one.problems[0]["message"]
    assert SECRET not in str(one.problems)
    client.force_login(ada)
    page = text(client.get(reverse("organize-code", args=[task.slug])))
    assert SECRET in page


@REAL
def test_what_is_run_again_keeps_its_score_until_there_is_another(
    task: Task, ada: User
) -> None:
    submission = sent(task)
    give_input(task, "south", ("snow", "snow"))
    assert run_again(task, to_run_again(task.phases.all()), ada) == 1
    submission = Submission.objects.get()
    assert newest(submission).state == EvaluationState.QUEUED
    stands = evaluation_of(submission)
    assert stands is not None and accuracies(stands)["south"] == 0.5
    assert run_again(task, to_run_again(task.phases.all()), ada) == 0  # it waits
    assert evaluation.run(newest(submission).pk)
    stands = evaluation_of(Submission.objects.get())
    assert stands is not None and accuracies(stands) == {"north": 0.75, "south": 1.0}
    left = attempts_left(
        submission.phase, submission.participation, submission.received_at
    )
    assert left == 2


@REAL
def test_nothing_is_ordered_again_where_the_site_runs_no_code_for_the_task(
    task: Task, ada: User, client: Client, settings: Any
) -> None:
    submission = sent(task)
    page = reverse("organize-code", args=[task.slug])
    client.force_login(ada)
    orders = (
        {"action": "phase", "phase": submission.phase.name},
        {"action": "one", "submission": str(submission.pk)},
    )
    settings.PROGRAMS = ""
    for order in orders:
        assert "runs no code for this task" in text(client.post(page, order))
    assert submission.evaluations.count() == 1
    settings.PROGRAMS = "everyone"
    assert client.post(page, orders[1] | {"submission": "no key"}).status_code == 404
    assert client.post(page, orders[1]).status_code == 302
    assert submission.evaluations.count() == 2


@REAL
def test_a_score_stands_where_code_fails_on_another_input(
    task: Task, ada: User
) -> None:
    submission = sent(task)
    give_input(task, "south", ())
    run_again(task, to_run_again(task.phases.all()), ada)
    assert evaluation.run(newest(submission).pk)
    assert newest(submission).state == EvaluationState.INVALID
    stands = evaluation_of(Submission.objects.get())
    assert stands is not None and accuracies(stands)["south"] == 0.5


@REAL
def test_under_corrected_gold_code_does_not_run_again(task: Task) -> None:
    submission = sent(task)
    first = newest(submission)
    evaluation_of_other = submission.evaluations.create(
        gold_revision=first.gold_revision, engine="other", background=True
    )
    assert evaluation.run(evaluation_of_other.pk)
    runs = CodeRun.objects.filter(evaluation=evaluation_of_other)
    assert {run.seconds for run in runs} == {0.0}
    assert accuracies(newest(submission)) == accuracies(first)


def test_what_is_no_code_is_refused_when_it_comes(task: Task) -> None:
    cases = {
        "zip": b"id,label\nu1,warm\n",
        "code_entry": zip_files("x.zip", {"solve.py": b"pass"}).single(),
    }
    for problem, data in cases.items():
        with pytest.raises(Unfit) as refusal:
            submitted(task, data, problem)
        assert [one.code for one in refusal.value.problems] == [problem]


def test_code_that_no_python_reads_is_refused_with_its_line(task: Task) -> None:
    helper = b"import predict\nx = [1,\n"
    cases: dict[str, dict[str, bytes]] = {
        "predict.py:2: this is no Python": {"predict.py": b"import os\nfor x in y\n"},
        "predict.py:1: this is Python 2": {"predict.py": b"print 'done'\n"},
        "helper.py:2: this is no Python": {
            "predict.py": b"import helper\n",
            "helper.py": helper,
        },
    }
    for said, files in cases.items():
        with pytest.raises(Unfit) as refusal:
            submitted(task, zip_files("x.zip", files).single(), said)
        (problem,) = refusal.value.problems
        assert str(problem).startswith(said)
    # What nothing imports may be a template.
    files = {"predict.py": RULE.encode(), "old/template.py": helper}
    assert submitted(task, zip_files("x.zip", files).single(), "right").pk


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x1f\x8b\x08\0" + bytes(40), "a gzip archive"),
        (b"Rar!\x1a\x07\x01\0" + bytes(40), "a RAR archive"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(40), "a 7z archive"),
    ],
)
def test_another_archive_of_code_is_called_by_its_name(data: bytes, kind: str) -> None:
    ingestion = zip_files(
        "i.zip", {"metadata.yaml": b"command: python3 i.py", "i.py": b"pass"}
    )
    for read in (code_of, partial(run_by, ingestion), program_of):
        with pytest.raises(ScoringError, match=f"this is {kind}; expected a zip"):
            read(Source.of_bytes("code.tar.gz", data))


def test_neither_page_nor_api_nor_kit_gives_the_input_out(
    task: Task, client: Client
) -> None:
    phase = task.phases.get()
    address = reverse("blind-file", args=[task.slug, phase.name, "north"])
    assert client.get(address).status_code == 404
    page = client.get(reverse("task", args=[task.slug]), follow=True)
    assert address not in page.text
    api = client.get(reverse("api-test-sets", args=[task.slug, "test"]))
    assert [row["blind"] for row in api.json()] == [None, None]
    kit = kit_of(phase, "https://example.org", ())
    with ZipFile(BytesIO(kit.data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert not [n for n in files if "/blind/" in n]
    assert not [n for n, data in files.items() if SECRET.encode() in data]


def test_the_upload_page_asks_for_code_and_takes_it(task: Task, client: Client) -> None:
    first = submitted(task, code())
    client.force_login(first.sender)
    address = reverse("submit", args=[task.slug, "test"])
    page = text(client.get(address))
    assert "Code" in page and "predict.py" in page and "Predictions" not in page
    assert "Code that fails when it runs" in page
    assert "a file that cannot be scored costs no attempt" not in page
    fields = {
        "key": "k",
        "system": "second",
        "archive": SimpleUploadedFile("two.zip", code(RULE + "# 2\n")),
    }
    assert client.post(address, fields).status_code == 302
    second = Submission.objects.exclude(pk=first.pk).get()
    assert {file.test_set.name for file in second.files.all()} == set(LABELS)


def test_code_is_checked_without_being_sent(task: Task, client: Client) -> None:
    client.force_login(submitted(task, code()).sender)
    Submission.objects.all().delete()
    page = reverse("submit", args=[task.slug, "test"])
    api = reverse("api-check", args=[task.slug, "test"])
    cases = {
        code(): "",
        b"id,label": "not a zip",
        b"": "the file is empty",
        zip_files("x.zip", {"solve.py": b"pass"}).single(): "no predict.py",
    }
    for data, problem in cases.items():
        file = SimpleUploadedFile("code.zip", data)
        shown = text(client.post(page, {"key": "k", "only": "check", "archive": file}))
        file.seek(0)
        answer = client.post(api, {"archive": file})
        assert "has not opened yet" not in shown + answer.text
        assert (problem or "The code was read and not run") in shown
        assert problem in answer.text and (answer.status_code == 200) == (not problem)
    assert not Submission.objects.exists()
    task.phases.update(opens=timezone.now() + timedelta(days=1))
    file = SimpleUploadedFile("code.zip", code())
    assert "has not opened yet" in client.post(api, {"archive": file}).text


def test_without_the_extra_input_stays_hidden_and_what_is_sent_waits(
    task: Task, client: Client, settings: Any
) -> None:
    leave_extras_out(settings)
    phase = task.phases.get()
    one = submitted(task, code()).evaluations.get()
    assert not evaluation.run(one.pk)
    one.refresh_from_db()
    assert one.state == EvaluationState.QUEUED
    client.force_login(one.submission.sender)
    address = reverse("submit", args=[task.slug, phase.name])
    assert client.get(address).status_code == 200
    kit = kit_of(phase, "https://example.org", ())
    with ZipFile(BytesIO(kit.data)) as archive:
        files = archive.namelist()
    assert not [n for n in files if "/blind/" in n or "/example/" in n]


def test_a_team_reads_that_one_run_of_its_code_goes_at_a_time(
    task: Task, client: Client
) -> None:
    first, second = (submitted(task, code(RULE + f"#{n}\n")) for n in "12")
    first.evaluations.update(state=EvaluationState.RUNNING)
    client.force_login(second.sender)
    page = " ".join(text(client.get(second.get_absolute_url())).split())
    assert "Your team has 1 being scored, as many as a team may have" in page


@REAL
def test_an_organizer_gives_input_and_tries_code(ada: User, client: Client) -> None:
    task = create_task(code_bundle(), ada)
    client.force_login(ada)
    address = reverse("organize-code", args=[task.slug])
    north = task.test_sets.get(name="north").pk
    given = SimpleUploadedFile("north.csv", b"id,text\nu1,sun\nu2,a\nu3,sun\nu4,b\n")
    fields = {"action": "input", "test_set": north, "file": given}
    assert client.post(address, fields).status_code == 302
    assert HiddenInput.objects.get().name == "north.csv"
    trial = {"action": "try", "test_set": north}
    file = SimpleUploadedFile("mine.zip", code())
    page = text(client.post(address, {**trial, "sent": file}))
    assert "75.00" in page
    assert re.search(r"\d s, ([1-9]\d* MB of|too short a run to see its) memory", page)
    assert "is the same" not in page
    alike = SimpleUploadedFile("mine.zip", code(RULE.replace('"cold"])', '"warm"])')))
    assert "is the same" in text(client.post(address, {**trial, "sent": alike}))
    broken = SimpleUploadedFile("mine.zip", code(HEAD + "1 / 0"))
    page = text(client.post(address, {**trial, "sent": broken}))
    assert "line 7 of predict.py: ZeroDivisionError" in page
    assert "ZeroDivisionError: division by zero" in page
    assert "is not shown" not in page, "its output stands below"
    broken = SimpleUploadedFile("mine.zip", b"none")
    page = text(client.post(address, {**trial, "sent": broken}))
    assert "not a zip" in page and "too short a run" not in page
    sent(task, HEAD + "1 / 0")
    page = text(client.get(address))
    assert "ZeroDivisionError" in page and "is not shown" not in page


@REAL
def test_an_organizer_runs_one_or_all_again_on_the_page(
    task: Task, ada: User, client: Client
) -> None:
    gulls, terns = sent(task), sent(task, RULE + "# 2\n", "Terns")
    client.force_login(ada)
    address = reverse("organize-code", args=[task.slug])
    one = client.post(address, {"action": "one", "submission": gulls.pk}, follow=True)
    assert "of 1 submission runs again" in text(one)
    assert (gulls.evaluations.count(), terns.evaluations.count()) == (2, 1)
    every = client.post(address, {"action": "phase", "phase": "test"}, follow=True)
    assert "of 1 submission runs again" in text(every)  # the other one waits
    assert (gulls.evaluations.count(), terns.evaluations.count()) == (2, 2)


def test_an_organizer_sees_what_waits_and_its_place_in_the_queue(
    task: Task, ada: User, client: Client
) -> None:
    """In turns between teams: the second of the Gulls comes after that of the Terns."""
    for team, script in (("Gulls", RULE), ("Gulls", RULE + "#2\n"), ("Terns", RULE)):
        submitted(task, code(script), team)
    running = Submission.objects.earliest("received_at").evaluations.get()
    Evaluation.objects.filter(pk=running.pk).update(state=EvaluationState.RUNNING)
    client.force_login(ada)
    page = " ".join(
        text(client.get(reverse("organize-code", args=[task.slug]))).split()
    )
    waits = re.findall(r"· (Gulls|Terns) · (running|place \d in the queue)", page)
    assert waits == [
        ("Gulls", "running"),
        ("Terns", "place 1 in the queue"),
        ("Gulls", "place 2 in the queue"),
    ]


@REAL
def test_a_site_without_rights_keeps_code_waiting_and_charges_nobody(
    task: Task, settings: Any
) -> None:
    settings.PROGRAMS = ""
    settings.MOST_ATTEMPTS = 1
    submission = sent(task)
    assert newest(submission).state == EvaluationState.FAILED_SYSTEM
    left = attempts_left(
        submission.phase, submission.participation, submission.received_at
    )
    assert left == 3
