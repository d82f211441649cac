"""Tasks whose teams send code: it runs in the sandbox on the input, without the gold,
and the scoring program scores what it writes."""

from io import BytesIO
from typing import Any

import psutil
import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from leaderboard.extras.code.models import CodeRun
from leaderboard.extras.programs.models import ProgramRun
from leaderboard.organize.baselines import send_baseline
from leaderboard.organize.setup_check import check_setup
from leaderboard.results.status import status_of
from leaderboard.submissions import evaluation
from leaderboard.submissions.accept import Unfit
from leaderboard.submissions.kit import kit_of
from leaderboard.submissions.leases import Lease
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.dump import pack_bundle, plan_of
from leaderboard.tasks.bundle.files import unzip
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.errors import SetupError
from scoring.formats.bundle import zip_files
from scoring.sandbox.code_failure import problem_of
from scoring.source import Source
from tests.extras.programs.test_programs import bundle, ended, send
from tests.leaderboard.small import CANARY, attempts_left
from tests.organize.phase_fields import text
from tests.scoring.programs import RIGHT

pytestmark = pytest.mark.django_db
REAL = pytest.mark.thorough  # the real sandbox
SECRET = "waterfall4711"
GOLD = {
    "input/words.txt": f"A B C {SECRET}\n".encode(),
    "ref/gold.txt": f"a b c {CANARY}\n".encode(),
}
HEAD = """\
import os, sys
from pathlib import Path
source, target = map(Path, sys.argv[1:])
words = (source / 'words.txt').read_text()
"""
LOWER = HEAD + "(target / 'answers.txt').write_text(words.lower())\n"


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    settings.PROGRAMS = "everyone"
    settings.PROGRAM_CPU_SECONDS, settings.PROGRAM_WALL_SECONDS = 2, 60
    settings.PROGRAM_DISK_MB = 8


def code(script: str = LOWER, **files: bytes) -> bytes:
    return zip_files("mine.zip", {"predict.py": script.encode(), **files}).single()


def code_bundle(script: str = RIGHT, gold: Any = GOLD) -> Source:
    """The small task of programs, whose teams send code."""
    made = bundle(script, run_code=True)
    table = yaml.safe_load(made.files["task.yaml"])
    table["test_sets"] = [{"name": "only", "gold": "gold.zip"}]
    files = {
        **{name: data for name, data in made.files.items() if name != "gold.txt"},
        "task.yaml": yaml.safe_dump(table).encode(),
        "gold.zip": zip_files("gold.zip", gold).single(),
    }
    return Source(made.name, files)


def seen(sent: Submission, client: Client) -> str:
    """All that the team's page of a submission says, and its status."""
    client.force_login(sent.sender)
    page = client.get(reverse("submission", args=[sent.pk]))
    api = client.get(reverse("api-submission", args=[sent.pk]))
    assert (page.status_code, api.status_code) == (200, 200)
    return text(page) + api.content.decode() + str(status_of(sent, sent.sender))


@REAL
def test_what_code_writes_is_scored_as_a_file_would_be(ada: User) -> None:
    """Three of four words of the gold are those of the input in small letters."""
    one = ended(send(create_task(code_bundle(), ada), code()))
    assert one.state == EvaluationState.SCORED, one.problems
    assert one.results["overall"]["accuracy"]["value"] == 0.75
    assert "read 4 answers" in ProgramRun.objects.get().output


@REAL
def test_code_may_name_its_command_and_bring_files_along(ada: User) -> None:
    script = LOWER.replace("words.lower()", "Path('table.txt').read_text()")
    sent = zip_files(
        "mine.zip",
        {
            "mine/metadata.yaml": b"command: python3 solve.py $input $output\n",
            "mine/solve.py": script.encode(),
            "mine/table.txt": b"a x x x\n",
        },
    )
    one = ended(send(create_task(code_bundle(), ada), sent.single()))
    assert one.state == EvaluationState.SCORED, one.problems
    assert one.results["overall"]["accuracy"]["value"] == 0.25


FAILS = {
    "error: crashes": ("raise ValueError(words)", "line 5 of predict.py: ValueError"),
    "error: lacks a package": (
        "import torch",
        "line 5 of predict.py: ModuleNotFoundError",
    ),
    "error: is no Python": ("print 'x'", "line 5 of predict.py: SyntaxError"),
    "limit: computes for ever": (
        "while True: pass",
        "2 s of processor time, the limit",
    ),
    "forbidden: forks": ("while True: os.fork()", "PermissionError"),
    "limit: writes 10 GB": (
        "for n in range(10_000): (target / str(n)).write_bytes(bytes(1_000_000))",
        "8 MiB of files, the limit",
    ),
    "limit: says too much": (
        "while True: print(words * 999)",
        "KiB of output, the limit",
    ),
    "limit: takes all memory": (
        "x = bytes(1 << 36)",
        "line 5 of predict.py: MemoryError",
    ),
    "error: writes nothing": ("pass", "wrote no file into its output folder"),
    "forbidden: looks for the gold": (
        "print((source / '../ref/gold.txt').read_text())",
        "Error",
    ),
    "forbidden: looks around": (
        "print(os.listdir(source.parent.parent))",
        "PermissionError",
    ),
    "forbidden: reads the site": (
        "print(open('/etc/passwd').read())",
        "PermissionError",
    ),
    "forbidden: remembers": ("Path('kept.txt').write_text(words)", "PermissionError"),
    "forbidden: calls": (
        "import socket; socket.create_connection(('127.0.0.1', 80))",
        "Error",
    ),
    "error: ends with a number": ("print(words); sys.exit(44)", "exit code of its own"),
    "tells: names an error by the input": (
        "raise type(words.split()[-1], (Exception,), {})",
        "line 5 of predict.py: an error",
    ),
    "tells: names a line by the input": (
        "print('  File \"/app/program/predict.py\", line 4711'); sys.exit(1)",
        "your code failed: an error",
    ),
    "tells: names its output by the input": (
        "(target / words.split()[-1]).write_text(words)\nraise KeyError(words)",
        "line 6 of predict.py: KeyError",
    ),
}


@REAL
@pytest.mark.sampled(3, by="what")
@pytest.mark.parametrize("what", FAILS)
def test_code_that_fails_is_told_where_and_never_what_it_said(
    what: str, ada: User, client: Client
) -> None:
    script, said = FAILS[what]
    sent = send(create_task(code_bundle(), ada), code(HEAD + script))
    one = ended(sent)
    assert one.state == EvaluationState.INVALID
    (problem,) = one.problems
    assert said in problem["message"]
    assert attempts_left(sent.phase, sent.participation, sent.received_at) == 2
    shown = seen(sent, client)
    assert said.split(":")[0] in shown
    assert SECRET not in shown and CANARY not in shown
    assert "4711" not in str(one.problems)


@REAL
def test_organizers_see_what_code_said_and_why_it_failed(
    ada: User, client: Client
) -> None:
    task = create_task(code_bundle(), ada)
    send(task, code(HEAD + "print(words)\nraise ValueError"))
    client.force_login(ada)
    page = text(client.get(reverse("organize-code", args=[task.slug])))
    assert SECRET in page and "line 6 of predict.py: ValueError" in page


@REAL
def test_reasons_of_the_program_against_what_code_wrote_are_for_organizers(
    ada: User, client: Client
) -> None:
    """The code could have written the hidden input, which the reasons would quote."""
    program = (
        "import sys\nfrom pathlib import Path\n"
        "said = Path(sys.argv[1], 'res/answers.txt').read_text()\n"
        "Path(sys.argv[2], 'problems.txt').write_text('unknown label ' + said)\n"
    )
    sent = send(create_task(code_bundle(program), ada), code())
    assert ended(sent).state == EvaluationState.INVALID
    shown = seen(sent, client)
    assert "what your code wrote" in shown and "it cannot be scored" in shown
    assert SECRET not in shown
    assert f"unknown label a b c {SECRET}" in str(CodeRun.objects.get().problems)


@REAL
def test_what_the_program_prints_is_shown_to_no_team_that_sends_code(
    ada: User, client: Client
) -> None:
    made = code_bundle(RIGHT + "\nprint(sent)\n")
    table = yaml.safe_load(made.files["task.yaml"])
    table["scorer"]["options"]["show_output"] = True
    files = {**made.files, "task.yaml": yaml.safe_dump(table).encode()}
    sent = send(create_task(Source(made.name, files), ada), code())
    assert SECRET in ProgramRun.objects.get().output
    assert SECRET not in seen(sent, client)


@pytest.mark.parametrize(
    ("sent", "code_of_problem"),
    [
        (b"a b c d\n", "code_zip"),
        (zip_files("x.zip", {"solve.py": b"pass"}).single(), "code_entry"),
        (
            zip_files(
                "x.zip", {"predict.py": b"", "metadata": b"command: perl x.pl"}
            ).single(),
            "program_command",
        ),
    ],
)
def test_what_is_no_code_is_refused_when_it_comes(
    sent: bytes, code_of_problem: str, ada: User
) -> None:
    with pytest.raises(Unfit) as refusal:
        send(create_task(code_bundle(), ada), sent)
    assert {one.code for one in refusal.value.problems} == {code_of_problem}


@pytest.mark.parametrize("lacking", ["input", "ref"])
def test_gold_without_one_of_its_folders_is_refused(lacking: str, ada: User) -> None:
    gold = {n: d for n, d in GOLD.items() if not n.startswith(lacking)}
    with pytest.raises(SetupError) as refusal:
        create_task(code_bundle(gold=gold), ada)
    assert f"{lacking}/ is not there" in str(refusal.value)


def test_kit_and_blind_file_say_what_is_sent_and_show_no_input(ada: User) -> None:
    task = create_task(code_bundle(), ada)
    assert "predict.py" in str(task.test_sets.get().blind().files)
    kit = kit_of(task.phases.get(), "https://example.org", ())
    files = unzip("kit.zip", BytesIO(kit.data)).files
    assert not [n for n, d in files.items() if SECRET.encode() in d or b"ref/" in d]


def test_a_bundle_with_code_comes_back_as_it_was(ada: User) -> None:
    task = create_task(code_bundle(), ada)
    plan = plan_of(task)
    assert plan.scoring.options["run_code"] == ["true"]
    assert load(unzip("x.zip", BytesIO(pack_bundle(plan).single()))) == plan


@REAL
def test_the_check_of_a_setup_asks_for_a_baseline_of_code(ada: User) -> None:
    task: Task = create_task(code_bundle(), ada)
    (found,) = check_setup(task).test_sets
    assert "Send a baseline first" in " ".join(map(str, found.problems))


@REAL
def test_the_check_of_a_setup_runs_a_baseline_of_code(ada: User) -> None:
    task = create_task(code_bundle(), ada)
    Task.objects.filter(pk=task.pk).update(draft=True)
    task.refresh_from_db()
    send_baseline(
        task,
        ada,
        system="lower",
        description="",
        phases=task.phases.all(),
        files={task.test_sets.get(): SimpleUploadedFile("mine.zip", code())},
        key="lower",
    )
    (found,) = check_setup(task).test_sets
    assert not found.problems
    assert [row.title for row in found.rows] == ["Baseline lower"]


@REAL
def test_code_that_is_killed_from_outside_is_tried_again_and_counts_once(
    ada: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LEASE_SECONDS = 3
    renew = Lease.renew
    before = set(psutil.Process().children())

    def kill_and_renew(lease: Lease) -> bool:
        for child in set(psutil.Process().children()) - before:
            child.kill()
        return renew(lease)

    sleeps = HEAD + "while (source / 'words.txt').exists(): os.listdir(source)\n"
    settings.PROGRAM_CPU_SECONDS = 30
    with monkeypatch.context() as patched:
        patched.setattr(Lease, "renew", kill_and_renew)
        sent = send(create_task(code_bundle(), ada), code(sleeps))
    one = ended(sent)
    assert (one.state, one.attempt) == (EvaluationState.QUEUED, 1)
    assert "ended from outside" in one.last_error and SECRET not in one.last_error
    settings.PROGRAM_CPU_SECONDS = 1
    Evaluation.objects.update(not_before=one.created_at)
    assert evaluation.run(one.pk)
    assert ended(sent).state == EvaluationState.INVALID
    assert CodeRun.objects.count() == 1
    assert attempts_left(sent.phase, sent.participation, sent.received_at) == 2


@REAL
def test_an_organizer_tries_code_before_any_team_sends_some(
    ada: User, client: Client
) -> None:
    task = create_task(code_bundle(), ada)
    client.force_login(ada)
    address = reverse("organize-program", args=[task.slug])
    fields = {"action": "try", "test_set": task.test_sets.get().pk}
    file = SimpleUploadedFile("mine.zip", code())
    assert "75.00" in text(client.post(address, {**fields, "sent": file}))
    broken = SimpleUploadedFile("mine.zip", code(HEAD + "1 / 0"))
    page = text(client.post(address, {**fields, "sent": broken}))
    assert "line 5 of predict.py: ZeroDivisionError" in page


def test_the_innermost_line_of_ones_own_code_is_told() -> None:
    said = (
        'Traceback (most recent call last):\n  File "/app/program/predict.py", line 2, '
        'in <module>\n  File "/app/program/deep/help.py", line 3, in f\n'
        "  File \"/usr/lib/python3/json.py\", line 9, in loads\nKeyError: 'x'\n"
    )
    files = {"predict.py": b"1\n2\n", "deep/help.py": b"1\n2\n3"}
    message = problem_of(files, said).message
    assert message == "your code failed at line 3 of deep/help.py: KeyError"
    assert (
        "line 2 of predict.py"
        in problem_of({"predict.py": files["predict.py"]}, said).message
    )
