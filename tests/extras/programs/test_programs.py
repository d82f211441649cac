"""Tasks with a scoring program, run by the real sandbox, and how each run ends."""

import os
import venv
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import psutil
import pytest
import yaml
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.urls import reverse

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.programs.models import ProgramRun
from leaderboard.operations import garbage_collection
from leaderboard.organize.baselines import send_baseline
from leaderboard.organize.setup_check import check_setup
from leaderboard.results.status import status_of
from leaderboard.submissions import accept, evaluation, jobs
from leaderboard.submissions.gold.check import propose
from leaderboard.submissions.gold.publish import make_live
from leaderboard.submissions.kit import kit_of
from leaderboard.submissions.leases import Lease
from leaderboard.submissions.models import (
    FINAL,
    Evaluation,
    EvaluationState,
    Event,
    Submission,
)
from leaderboard.submissions.quota import QuotaUsed
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.dump import pack_bundle, plan_of
from leaderboard.tasks.bundle.files import unzip
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import (
    GoldFile,
    Organizer,
    Participation,
    Phase,
    Task,
)
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.errors import SetupError
from scoring.formats.bundle import unpack, zip_files
from scoring.sandbox import scoring_program
from scoring.sandbox.scoring_program import without_gold
from scoring.source import Source
from tests.joined import leave_extras_out
from tests.leaderboard.small import CANARY, attempts_left, both, upload
from tests.leaderboard.test_sandbox_programs import deep
from tests.organize.crawling import Crawl, text_of
from tests.scoring.programs import RIGHT, UNITS, program
from tests.waiting import wait_until
from tests.worker import Worker

# The real sandbox
pytestmark = [pytest.mark.django_db, pytest.mark.thorough]
GOLD = f"a b c {CANARY}\n".encode()
FAILED = "The task's scoring program failed; the organizers are told."


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    settings.PROGRAMS = "everyone"
    settings.PROGRAM_CPU_SECONDS, settings.PROGRAM_WALL_SECONDS = 4, 60
    settings.PROGRAM_DISK_MB = 8


def bundle(
    script: str, *measures: str, slug: str = "answers", **options: Any
) -> Source:
    zipped = program(script)
    table = {
        "plumbline": 1,
        "slug": slug,
        "title": "Answers",
        "draft": False,
        "scorer": {
            "name": "program",
            "options": {
                "program": "program.zip",
                "measure": list(measures or ["accuracy; percent"]),
                "submission_name": "answers.txt",
                **options,
            },
        },
        "bootstrap": {"resamples": 200},
        "test_sets": [{"name": "only", "gold": "gold.txt"}],
        "phases": [
            {
                "name": "test",
                "opens": (datetime.now(UTC) - timedelta(days=1)).isoformat(),
                "daily_limit": 3,
            }
        ],
    }
    files = {
        "task.yaml": yaml.safe_dump(table).encode(),
        "gold.txt": GOLD,
        "program.zip": zipped.single(),
    }
    return Source(slug, files)


def task_of(ada: User, script: str, *measures: str, **options: Any) -> Task:
    return create_task(bundle(script, *measures, **options), ada)


def send(task: Task, data: bytes = b"a b x y\n", team: str = "Gulls") -> Submission:
    sent = submitted(task, data, team)
    assert evaluation.run(sent.evaluations.get().pk)
    return sent


def submitted(task: Task, data: bytes, team: str) -> Submission:
    user, _ = User.objects.get_or_create(email=f"{team}@example.org")
    entry = Participation.objects.filter(task=task, team__name=team).first()
    entry = entry or join(task, Team.found(team, user))
    phase = task.phases.get()
    file = SimpleUploadedFile("mine.txt", data)
    request = upload(phase, entry, {}, runs=[{task.test_sets.get(): file}])
    return accept.submit(request)


def ended(sent: Submission) -> Evaluation:
    return sent.evaluations.get()


def test_a_program_without_units_gives_scores_without_intervals(ada: User) -> None:
    one = ended(send(task_of(ada, RIGHT)))
    assert one.state == EvaluationState.SCORED, one.problems
    accuracy = one.results["overall"]["accuracy"]
    assert (accuracy["value"], accuracy["low"]) == (0.5, None)
    run = ProgramRun.objects.get()
    assert (run.output, run.problems) == ("read 4 answers\n", [])
    assert run.program_hash == program(RIGHT).sha256
    assert (
        f"program:{run.program_hash[:12]}"
        in (one.results["test_sets"]["only"]["signature"])
    )


def test_a_program_with_units_gets_intervals_and_tells_how_many(ada: User) -> None:
    task = task_of(ada, UNITS, "accuracy = mean(right); percent")
    assert GoldFile.objects.get(revision__task=task).units == 0
    one = ended(send(task))
    assert one.state == EvaluationState.SCORED, one.problems
    assert one.results["overall"]["accuracy"]["low"] < 0.5
    assert GoldFile.objects.get(revision__task=task).units == 4


def test_a_site_that_left_programs_out_lets_submissions_wait(
    ada: User, settings: Any
) -> None:
    task = task_of(ada, RIGHT)
    everything = settings.EXTRAS
    leave_extras_out(settings)
    sent = submitted(task, b"a b x y\n", "Gulls")
    assert not evaluation.run(ended(sent).pk)
    one = ended(sent)
    assert (one.state, one.attempt) == (EvaluationState.QUEUED, 0)
    assert "waits until it is back" in status_of(sent, sent.sender).text
    (found,) = check_setup(task).test_sets
    assert [str(one) for one in found.problems] == [
        "This site runs no scoring programs."
    ]
    settings.EXTRAS = everything
    Evaluation.objects.update(not_before=one.created_at)
    assert evaluation.run(one.pk)
    assert ended(sent).state == EvaluationState.SCORED


BREAKS = {
    "end: crashes": ("raise ValueError", "exit code 1"),
    "end: kills itself": ("import os\nos.kill(os.getpid(), 15)", "ended by signal 15"),
    "limit: hangs": ("import signal\nsignal.pause()", "more than 1 s"),
    "limit: computes for ever": ("while True: pass", "4 s of processor time"),
    "forbidden: forks": ("import os\nos.fork()", "exit code 1"),
    "forbidden: starts threads": (
        "import threading\nthreading.Thread(target=print).start()",
        "exit code 1",
    ),
    "limit: writes 10 GB": (
        "import sys\nfor n in range(10_000):\n"
        "    open(f'{sys.argv[2]}/{n}', 'wb').write(bytes(1_000_000))",
        "8 MiB of files",
    ),
    "limit: writes one large file": (
        "import sys\nopen(sys.argv[2] + '/x', 'wb').write(bytes(20_000_000))",
        "exit code 1",
    ),
    "limit: says too much": ("while True: print('x' * 10_000)", "1024 KiB of output"),
    "limit: takes all memory": ("x = bytes(1 << 36)", "exit code 1"),
    "result: leaves nothing": ("pass", "gave no score 'accuracy'"),
    "result: gives NaN": (
        "import sys\nopen(sys.argv[2] + '/scores.txt', 'w').write('accuracy: nan')",
        "expected a number, found 'nan'",
    ),
    "result: leaves a score out": (
        "import sys\nopen(sys.argv[2] + '/scores.json', 'w').write('{\"f1\": 1}')",
        "no score 'accuracy'; it gave: f1",
    ),
    "result: writes a huge result": (
        "import sys\nopen(sys.argv[2] + '/scores.json', 'w').write(' ' * 2_000_000)",
        "larger than 1048576 bytes",
    ),
    "forbidden: opens a connection": (
        "import socket\nsocket.create_connection(('127.0.0.1', 80))",
        "exit code 1",
    ),
    "forbidden: looks for other runs": (
        "import os\nos.listdir('../..')",
        "exit code 1",
    ),
    "forbidden: reads the site": ("open('/etc/passwd')", "exit code 1"),
}


@pytest.mark.sampled(3, by="what")
@pytest.mark.parametrize("what", BREAKS)
def test_a_program_that_breaks_costs_no_attempt_and_tells_organizers(
    what: str, ada: User, settings: Any
) -> None:
    script, said = BREAKS[what]
    if what == "limit: hangs":
        settings.PROGRAM_WALL_SECONDS = 1
    task = task_of(ada, script)
    sent = send(task)
    one = ended(sent)
    assert one.state == EvaluationState.FAILED_SYSTEM
    assert one.last_error == "the scoring program failed"
    (run,) = one.program_runs.all()
    assert said in run.problems[0]["message"]
    phase, entry = sent.phase, sent.participation
    assert attempts_left(phase, entry, sent.received_at) == 3
    (shown,) = status_of(sent, sent.sender).problems
    assert shown["message"] == FAILED
    assert shown["hint"] == "Your attempt was given back."
    assert said not in str(shown)


def test_an_unknown_column_of_units_is_told_to_organizers(ada: User) -> None:
    task = task_of(ada, UNITS, "wer = ratio(errors, words)")
    one = ended(send(task))
    assert one.state == EvaluationState.FAILED_SYSTEM
    (run,) = one.program_runs.all()
    assert "no measure uses a column 'right'" in run.problems[0]["message"]


def test_other_units_than_for_the_first_system_are_told_to_organizers(
    ada: User,
) -> None:
    cut = UNITS.replace("enumerate(right, 1)]", "enumerate(right[:len(set(sent))], 1)]")
    task = task_of(ada, cut, "hits = sum(right)")
    assert ended(send(task)).state == EvaluationState.SCORED
    one = ended(send(task, b"a a a a\n", team="Terns"))
    assert one.state == EvaluationState.FAILED_SYSTEM
    (run,) = one.program_runs.all()
    assert "it lacks 3 of them (2, 3, 4)" in run.problems[0]["message"]


def test_what_a_program_prints_of_the_gold_reaches_no_team(ada: User) -> None:
    script = "import sys\nprint(open(sys.argv[1] + '/ref/gold.txt').read())\n1 / 0"
    sent = send(task_of(ada, script))
    assert CANARY in ProgramRun.objects.get().output
    assert CANARY not in str(status_of(sent, sent.sender))


def test_a_program_may_refuse_a_file_and_say_why(ada: User) -> None:
    script = (
        "import sys\n"
        "open(sys.argv[2] + '/problems.txt', 'w').write('line 3: no such id')"
    )
    sent = send(task_of(ada, script))
    one = ended(sent)
    assert one.state == EvaluationState.INVALID
    assert one.problems[0]["message"] == "line 3: no such id"
    assert attempts_left(sent.phase, sent.participation, sent.received_at) == 2


def test_reasons_of_a_program_against_a_file_show_no_long_word_of_the_gold(
    ada: User,
) -> None:
    script = (
        "import sys\n"
        "gold = open(sys.argv[1] + '/ref/gold.txt').read()\n"
        "said = f'line 3: no such id\\nexpected {gold}\\n\x1b[2J\u202e'\n"
        "open(sys.argv[2] + '/problems.txt', 'w').write(said)"
    )
    sent = send(task_of(ada, script), f"a {CANARY} and five other words\n".encode())
    said = [problem["message"] for problem in ended(sent).problems]
    assert said[0] == "line 3: no such id"
    assert said[1].startswith("expected a b c █") and CANARY not in str(said)
    assert all(message.isprintable() for message in said)


def test_form_and_handbook_call_shown_output_public(ada: User, client: Client) -> None:
    client.force_login(ada)
    form = reverse("organize-scoring", args=[task_of(ada, RIGHT).slug])
    handbook = reverse("handbook-page", args=["organizers/programs"])
    pages = [client.get(address).content.decode() for address in (form, handbook)]
    assert "it is public" in pages[0]
    assert "Output that is shown is public" in pages[1]


def test_attempts_are_given_back_only_so_often(ada: User, settings: Any) -> None:
    settings.REFUSED_PER_DAY = 1
    task = task_of(ada, "raise ValueError")
    send(task)
    with pytest.raises(QuotaUsed):
        send(task)


def test_a_program_that_is_killed_from_outside_is_tried_again(
    ada: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the kernel kills what takes the last memory of the machine."""
    settings.LEASE_SECONDS = 3
    renew = Lease.renew
    before = set(psutil.Process().children())  # Redis and the browser of other tests

    def kill_and_renew(lease: Lease) -> bool:
        for child in set(psutil.Process().children()) - before:
            child.kill()
        return renew(lease)

    monkeypatch.setattr(Lease, "renew", kill_and_renew)
    sent = send(task_of(ada, "import signal\nsignal.pause()"))
    one = ended(sent)
    assert (one.state, one.attempt) == (EvaluationState.QUEUED, 1)
    assert "ended from outside" in one.last_error
    assert not ProgramRun.objects.exists(), "it is no failure of the program"


@pytest.mark.parametrize(
    ("script", "state"),
    [
        ("open('x', 'w').write(1)", EvaluationState.QUEUED),
        ("import os; os.abort()", EvaluationState.QUEUED),
        ("raise OSError(28, 'No space left on device')", EvaluationState.QUEUED),
        (RIGHT, EvaluationState.SCORED),
    ],
)
def test_what_fails_while_the_disk_is_full_is_tried_again(
    script: str, state: str, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring_program, "LEAST_ROOM", 1 << 62)
    one = ended(send(task_of(ada, script)))
    assert one.state == state
    if state == EvaluationState.QUEUED:
        assert "no room for files" in one.last_error
        assert not ProgramRun.objects.exists(), "it is no failure of the program"


def test_a_program_that_broke_leaves_others_unharmed(ada: User) -> None:
    script = RIGHT.replace("right = [", "1 / (sent[0] != 'boom')\nright = [")
    task = task_of(ada, script)
    assert ended(send(task, b"boom")).state == EvaluationState.FAILED_SYSTEM
    assert ended(send(task, team="Terns")).state == EvaluationState.SCORED


@pytest.mark.parametrize("allows", ["", "granted"])
def test_without_the_operator_s_permission_nothing_runs(
    allows: str, ada: User, settings: Any
) -> None:
    task = task_of(ada, RIGHT)
    settings.PROGRAMS = allows
    one = ended(send(task))
    assert one.state == EvaluationState.FAILED_SYSTEM
    (run,) = one.program_runs.all()
    assert "ask its operator" in run.problems[0]["message"]


def test_a_folder_of_a_run_is_gone_afterwards(ada: User, settings: Any) -> None:
    send(task_of(ada, RIGHT))
    assert list((settings.DATA / "programs").iterdir()) == []


def test_a_program_that_nests_folders_harms_no_other_today_or_later(
    ada: User, settings: Any
) -> None:
    """Such a folder that a killed worker left is removed a day later."""
    nest = (
        "if sent[0] == 'boom':\n    import os\n    os.chdir(sys.argv[2])\n"
        "    for _ in range(990):\n        os.mkdir('a'); os.chdir('a')\nright = ["
    )
    task = task_of(ada, "import sys\n" + RIGHT.replace("right = [", nest))
    assert ended(send(task, b"boom")).state == EvaluationState.FAILED_SYSTEM
    folder = settings.DATA / "programs"
    assert list(folder.iterdir()) == []
    (folder / "run-left").mkdir()
    deep(folder / "run-left", 990)
    os.utime(folder / "run-left", (0, 0))
    assert ended(send(task)).state == EvaluationState.SCORED
    assert garbage_collection.collect() == 1
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "files",
    [
        {"answers.txt": b"x", "dictionary.txt": b"mittens gold kanarie-gold"},
        {"answers.txt": f"{CANARY} mittens and nine other words".encode()},
    ],
    ids=["a second file", "a file of many words"],
)
def test_a_dictionary_that_is_sent_along_shows_nothing_of_the_gold(
    files: dict[str, bytes],
) -> None:
    reference = {"gold.txt": f"{CANARY} mittens".encode()}
    public = without_gold(f"gold is {CANARY}, mittens", reference, files)
    assert CANARY not in public and "mittens" not in public


def page(task: Task) -> str:
    return f"/tasks/{task.slug}/organize/program/"


def test_an_organizer_tries_the_program_and_sees_what_it_says(
    ada: User, client: Client
) -> None:
    task = task_of(ada, UNITS, "accuracy = mean(right); percent")
    client.force_login(ada)
    file = SimpleUploadedFile("x.txt", b"a b x y")
    test_set = task.test_sets.get().pk
    asked = {"action": "try", "test_set": test_set, "sent": file}
    told = client.post(page(task), asked).content.decode()
    assert "50.00" in told and "read 4 answers" in told and "4 units" in told
    told = client.post(page(task), {"action": "try", "test_set": test_set})
    assert "100.00" in told.content.decode()


def test_a_trial_that_ends_before_a_run_would_says_how_long_that_may_take(
    ada: User, client: Client, settings: Any
) -> None:
    settings.CHECK_WALL_SECONDS = 1
    task = task_of(ada, "while True: pass")
    client.force_login(ada)
    asked = {"action": "try", "test_set": task.test_sets.get().pk}
    told = client.post(page(task), asked).content.decode()
    assert "needed more than 1 s" in told
    whole = f"{settings.PROGRAM_WALL_SECONDS:g} s in all"
    assert f"a run of a submission may take {whole}" in told


def test_a_run_longer_than_a_check_waits_stands_against_publishing_until_one_ended(
    ada: User, settings: Any
) -> None:
    settings.CHECK_WALL_SECONDS = 1
    slow = f"import time\nwhile time.process_time() < 1.5: pass\n{UNITS}"
    task = task_of(ada, slow, "accuracy = mean(right); percent")
    assert not check_setup(task).has_passed
    assert ended(send(task)).state == EvaluationState.SCORED
    found = check_setup(task)
    assert found.has_passed, found.blocking
    (only,) = found.test_sets
    assert only.units == 4
    assert ["needed more than 1 s" in remark for remark in only.remarks] == [True]


def test_a_program_that_failed_can_be_mended_and_scores_what_it_failed_on(
    ada: User, client: Client
) -> None:
    task = task_of(ada, "raise ValueError('a slip')")
    sent = send(task)
    client.force_login(ada)
    assert "a slip" in client.get(page(task)).content.decode()
    start = client.get(f"/tasks/{task.slug}/organize/").content.decode()
    assert "Fix the scoring program" in start
    zipped = SimpleUploadedFile("better.zip", program(RIGHT).single())
    answer = client.post(page(task), {"action": "replace", "program": zipped})
    assert answer.status_code == 302
    assert ended(sent).state == EvaluationState.QUEUED
    assert evaluation.run(ended(sent).pk)
    assert (ended(sent).state, ended(sent).problems) == (EvaluationState.SCORED, [])
    answer = client.post(page(task), {"action": "replace", "program": zipped})
    assert answer.status_code == 200
    assert "it stays" in answer.content.decode()


def test_a_draft_with_baselines_alone_takes_another_program(
    ada: User, client: Client
) -> None:
    task = task_of(ada, UNITS, "accuracy = mean(right); percent")
    Task.objects.filter(pk=task.pk).update(draft=True)
    task.refresh_from_db()
    for system in ("majority", "copied"):
        file = SimpleUploadedFile("a.txt", b"a b x y\n")
        send_baseline(
            task,
            ada,
            system=system,
            description="",
            phases=task.phases.all(),
            files={task.test_sets.get(): file},
            key=system,
        )
    for sent in Submission.objects.all():
        assert evaluation.run(ended(sent).pk)
        assert ended(sent).state == EvaluationState.SCORED
    client.force_login(ada)
    assert "sent again" in client.get(page(task)).content.decode()
    half = UNITS.replace("print(", "right = [right[0] / 2, 0]; gold = gold[:2]\nprint(")
    assert half != UNITS
    zipped = SimpleUploadedFile("half.zip", program(half).single())
    answer = client.post(page(task), {"action": "replace", "program": zipped})
    assert answer.status_code == 302
    for sent in Submission.objects.all():
        assert sent.baseline and ended(sent).state == EvaluationState.QUEUED
        assert evaluation.run(ended(sent).pk)
        assert ended(sent).state == EvaluationState.SCORED, [
            run.problems for run in ProgramRun.objects.all()
        ]
        overall = ended(sent).results["overall"]["accuracy"]
        assert overall["value"] == pytest.approx(0.25)
    assert GoldFile.objects.get(revision__task=task).units == 2
    assert {s.system for s in Submission.objects.all()} == {"majority", "copied"}
    # Of a public task, and where a team sent something, it stays.
    for change in ({"draft": False}, {"draft": True}):
        Task.objects.filter(pk=task.pk).update(**change)
        if change["draft"]:
            submitted(task, b"a b x y\n", "Gulls")
        assert "it stays" in client.get(page(task)).content.decode()


def test_a_wrong_program_is_refused_with_its_line(ada: User, client: Client) -> None:
    task = task_of(ada, RIGHT)
    client.force_login(ada)
    wrong = program(metadata=b"title: x\ncommand: bash run.sh\n").single()
    file = SimpleUploadedFile("p.zip", wrong)
    answer = client.post(page(task), {"action": "replace", "program": file})
    assert answer.status_code == 422
    assert "only Python programs are run" in answer.content.decode()


def test_only_organizers_see_what_a_program_printed(ada: User, client: Client) -> None:
    script = "import sys\nprint(open(sys.argv[1] + '/ref/gold.txt').read())\n1 / 0"
    task = task_of(ada, script)
    sent = send(task)
    client.force_login(sent.sender)
    assert client.get(page(task)).status_code == 404
    shown = client.get(sent.get_absolute_url()).content.decode()
    assert CANARY not in shown and "The task&#x27;s scoring program failed" in shown
    client.force_login(ada)
    assert CANARY in client.get(page(task)).content.decode()


def test_who_has_no_right_changes_no_program_of_those_who_have(
    ada: User, client: Client, settings: Any
) -> None:
    settings.PROGRAMS = "granted"
    task = task_of(ada, RIGHT)
    assert ended(send(task)).state == EvaluationState.FAILED_SYSTEM
    ada.user_permissions.add(Permission.objects.get(codename="run_programs"))
    assert ended(send(task, team="Terns")).state == EvaluationState.SCORED
    other = User.objects.create_user("editor@example.org")
    Organizer.objects.create(task=task, user=other, role=Organizer.Role.EDITOR)
    client.force_login(other)
    Evaluation.objects.filter(state=EvaluationState.SCORED).delete()
    file = SimpleUploadedFile("p.zip", program(UNITS).single())
    answer = client.post(page(task), {"action": "replace", "program": file})
    assert answer.status_code == 422
    assert "ask its operator" in answer.content.decode()


def test_the_program_is_published_only_where_the_organizers_say_so(
    ada: User, client: Client
) -> None:
    task = task_of(ada, RIGHT)
    phase = task.phases.get()
    name = task.options["program"][0]["file"]
    address = f"/tasks/{task.slug}/options/{name}"
    stored = task.options["program"][0]["sha256"]
    assert client.get(address).status_code == 404
    api = client.get(f"/api/v1/tasks/{task.slug}/phases/{phase.name}/")
    assert api.status_code == 200 and stored not in api.content.decode()
    kit = kit_of(phase, "https://example.org", ())
    files = unzip("kit.zip", BytesIO(kit.data)).files
    assert not any("options/" in member for member in files)
    readme = next(data for member, data in files.items() if "README" in member)
    assert b"Scoring at home is not possible otherwise" in readme
    task.options = {**task.options, "publish_program": ["true"]}
    task.save()
    assert client.get(address).status_code == 200


def test_the_check_runs_the_program_on_the_gold_where_there_is_no_baseline(
    ada: User,
) -> None:
    task = task_of(ada, UNITS, "accuracy = mean(right); percent; decimals 1")
    found = check_setup(task)
    assert found.has_passed, found.test_sets[0].problems
    (only,) = found.test_sets
    assert [score.printed for score in only.rows[0].scores] == ["100.0"]
    assert only.units == GoldFile.objects.get(revision__task=task).units == 4


def test_per_cents_declared_as_shares_are_remarked_on(
    ada: User, client: Client
) -> None:
    hundred = RIGHT.replace("/ len", "* 100 / len")
    assert hundred != RIGHT
    task = task_of(ada, hundred, "accuracy; percent", "error; percent; optional")
    remark = "“accuracy” is declared as a share (percent), which is shown times 100: "
    (only,) = check_setup(task).test_sets
    assert [remark in told for told in only.remarks] == [True]
    client.force_login(ada)
    asked = {"action": "try", "test_set": task.test_sets.get().pk}
    told = client.post(page(task), asked).content.decode()
    assert f"{remark}10,000.00" in told or f"{remark}10000.00" in told
    assert not check_setup(task_of(ada, RIGHT, slug="right")).test_sets[0].remarks


def test_the_check_says_what_a_program_does_not_give(ada: User) -> None:
    found = check_setup(task_of(ada, RIGHT))
    assert found.has_passed and "no values per unit" in found.few[0]


def test_nothing_is_said_of_units_where_a_program_gives_none(
    ada: User, client: Client
) -> None:
    task = task_of(ada, RIGHT)
    task.phases.update(daily_limit=None, total_limit=1)
    Task.objects.filter(pk=task.pk).update(draft=True)
    client.force_login(ada)
    page = client.post(reverse("organize-check", args=[task.slug])).content.decode()
    assert "Publish although nothing has an interval" in page
    assert "so few units" not in page and "learn the whole gold" not in page


def test_a_program_that_fails_in_the_check_stands_against_publishing(
    ada: User, settings: Any
) -> None:
    task = task_of(ada, "raise ValueError")
    settings.PROGRAMS = ""
    found = check_setup(task)
    assert not found.has_passed
    codes = [problem.code for problem in found.test_sets[0].problems]
    assert codes == ["program_ended", "program_example", "program_rights"]


def test_a_board_without_units_ranks_by_value_and_claims_no_difference(
    ada: User, client: Client
) -> None:
    task = task_of(ada, RIGHT)
    send(task, b"a b c x")
    send(task, b"a x x x", team="Terns")
    shown = board(BoardQuery(task.phases.get()))
    assert [(row.rank, row.rank_range) for row in shown.rows] == [(1, ""), (2, "")]
    assert "no values per unit" in shown.rows[0].in_words
    assert "Holm" not in shown.rule and "no intervals" in shown.rule
    page = client.get(reverse("board", args=[task.slug, "test"])).content.decode()
    assert "gives no values per unit" in page and "75.00" in page
    assert "separate groups that differ" not in page


def test_a_board_with_units_tests_its_systems(ada: User) -> None:
    task = task_of(ada, UNITS, "accuracy = mean(right); percent")
    send(task, b"a b c x")
    send(task, b"a x x x", team="Terns")
    rows = board(BoardQuery(task.phases.get())).rows
    assert [row.rank_range for row in rows] == ["1–2", "1–2"]


def test_no_private_part_beside_values_of_whole_files(ada: User) -> None:
    source = bundle(UNITS, "accuracy = mean(right)", "f1")
    table = yaml.safe_load(source.files["task.yaml"])
    table["phases"][0]["private_share"] = 0.5
    files = {**source.files, "task.yaml": yaml.safe_dump(table).encode()}
    with pytest.raises(SetupError, match="given for a whole file"):
        create_task(Source("answers", files), ada)


@pytest.mark.parametrize("shows", [True, False])
def test_output_is_shown_to_a_team_only_if_the_task_says_so_and_without_gold(
    shows: bool, ada: User, client: Client
) -> None:
    script = (
        RIGHT + "\nprint('gold is', gold, 'and you sent', sent)\nprint('mittens ok')"
    )
    task = task_of(ada, script, show_output=shows)
    sent = send(task, b"a b mittens y\n")
    client.force_login(sent.sender)
    page = client.get(sent.get_absolute_url()).content.decode()
    assert ("you sent" in page) == shows == ("mittens ok" in page)
    assert CANARY not in page


def test_packages_of_the_operator_s_environment_can_be_imported(
    ada: User, settings: Any, tmp_path: Path
) -> None:
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    (packages,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (packages / "measuring.py").write_text("HALF = 0.5\n")
    settings.PROGRAM_PYTHON = str(tmp_path / "env" / "bin" / "python")
    script = (
        "import measuring, sys\n"
        "open(sys.argv[2] + '/scores.txt', 'w').write(f'accuracy: {measuring.HALF}')"
    )
    one = ended(send(task_of(ada, script)))
    assert one.state == EvaluationState.SCORED, one.program_runs.get().output
    assert one.results["overall"]["accuracy"]["value"] == 0.5


def test_compiled_packages_work_with_one_thread(ada: User) -> None:
    script = (
        "import sys\nimport numpy as np\n"
        "value = float((np.eye(500) @ np.eye(500)).trace() / 1000)\n"
        "open(sys.argv[2] + '/scores.txt', 'w').write(f'accuracy: {value}')"
    )
    one = ended(send(task_of(ada, script)))
    assert one.state == EvaluationState.SCORED, one.program_runs.get().output


def test_a_team_sends_a_zip_whose_members_the_program_finds(
    ada: User, client: Client
) -> None:
    script = RIGHT.replace("answers.txt", "deep/answers.txt")
    task = task_of(ada, script)
    user = User.objects.create_user("zips@example.org")
    join(task, Team.found("Zips", user))
    client.force_login(user)
    members = {"deep/answers.txt": b"a b c x", "notes.txt": b"hello"}
    file = SimpleUploadedFile("all.zip", zip_files("all.zip", members).single())
    address = reverse("submit", args=[task.slug, "test"])
    answer = client.post(address, {"system": "zip", "key": "k1", "file_only": file})
    assert answer.status_code == 302
    sent = Submission.objects.get()
    assert evaluation.run(ended(sent).pk)
    assert ended(sent).results["overall"]["accuracy"]["value"] == 0.75


def test_the_form_shows_limits_and_makes_a_draft_that_scores(
    ada: User, client: Client
) -> None:
    client.force_login(ada)
    address = "/tasks/new/form/?scorer=program"
    assert "4 s of processor time" in client.get(address).content.decode()
    asked = {
        "title": "By form",
        "slug": "by-form",
        "entry": "open",
        "prizes": "0",
        "option_program": SimpleUploadedFile("p.zip", program(UNITS).single()),
        "option_measure": "accuracy = mean(right); percent\nf1",
        "option_submission_name": "answers.txt",
        "headline": "accuracy",
        "measures": "accuracy",
        "unit": "unit",
        "resamples": "200",
        "seed": "1",
        "level": "0.95",
    }
    answer = client.post(address, {**asked, "headline": "precision"})
    assert "expected one of accuracy, f1" in answer.content.decode()
    asked["option_program"] = SimpleUploadedFile("p.zip", program(UNITS).single())
    wrong = client.post(address, {**asked, "option_measure": "a = median(x)"})
    assert "there is no &#x27;median&#x27;" in wrong.content.decode()
    asked["option_program"] = SimpleUploadedFile("p.zip", program(UNITS).single())
    answer = client.post(address, asked)
    assert answer.status_code == 302, answer.content.decode()
    task = Task.objects.get(slug="by-form")
    assert task.headline_measure.formula == "mean(right)"


@dataclass
class Reading(Crawl):
    """Opens all that is linked, and notes where the gold stands."""

    told: list[str] = field(default_factory=list)

    def note(self, address: str, answer: Any) -> None:
        assert answer.status_code < 500, address
        number = answer.status_code
        self.statuses[number] = self.statuses.get(number, 0) + 1
        if CANARY in text_of(address, answer):
            self.told.append(address)


@pytest.mark.parametrize(
    ("script", "measure"),
    [(RIGHT, "accuracy; percent"), (UNITS, "accuracy = mean(right); percent")],
)
def test_every_page_of_such_a_task_opens_and_tells_no_team_the_gold(
    script: str, measure: str, ada: User
) -> None:
    script += "\nprint(gold)"
    task = task_of(ada, script, measure, show_output=True)
    sent = [send(task), send(task, b"a b c x", team="Terns")]
    own, phase = sent[0].get_absolute_url(), [task.slug, "test"]
    systems = "&".join(f"system={one.pk}" for one in sent)
    starts = [
        task.get_absolute_url(),
        reverse("board", args=phase),
        reverse("compare", args=phase) + f"?{systems}",
        reverse("charts", args=phase),
        reverse("kit", args=phase),
        reverse("system", args=[sent[0].pk]),
        reverse("receipt", args=[sent[0].pk, "only"]),
        reverse("api-board", args=phase),
        f"/api/v1/tasks/{task.slug}/",
        "/scorers/program/",
        own,
    ]
    for reader in (None, sent[0].sender, ada):
        client = Client()
        if reader:
            client.force_login(reader)
        reading = Reading(client, curious=reader is None)
        reading.waiting.extend(starts)
        limited = 80
        while reading.waiting and limited:
            limited -= 1
            address = reading.waiting.popleft()
            inside = task.slug in address or "/submissions/" in address
            if address not in reading.seen and (inside or address in starts):
                reading.seen.add(address)
                reading._visit(address)
        assert reading.statuses[200] > 10
        if reader != ada:
            assert reading.told == []


def test_corrected_gold_is_scored_by_the_program_and_becomes_live(ada: User) -> None:
    task = task_of(ada, UNITS, "accuracy = mean(right); percent")
    sent = send(task)
    assert ended(sent).results["overall"]["accuracy"]["value"] == 0.5
    mended = SimpleUploadedFile("gold.txt", b"a b x y")
    draft = propose(task, {task.test_sets.get(): mended}, ada)
    for waiting in Evaluation.objects.filter(gold_revision=draft):
        assert evaluation.run(waiting.pk)
    make_live(draft, ada, "mended")
    (row,) = board(BoardQuery(task.phases.get())).rows
    assert row.sorted_by.value == 100.0


def test_a_worker_of_its_own_runs_programs_and_goes_on_after_one_that_breaks(
    worker: Worker, ada: User
) -> None:
    script = RIGHT.replace("right = [", "1 / (sent[0] != 'boom')\nright = [")
    task = task_of(ada, script)
    broken = submitted(task, b"boom", "Gulls")
    fine = submitted(task, b"a b x y", "Terns")
    both = (fine, broken)
    wait_until(lambda: all(ended(one).state in FINAL for one in both), 60, "both")
    assert ended(broken).state == EvaluationState.FAILED_SYSTEM
    assert ended(fine).state == EvaluationState.SCORED
    assert ended(fine).results["overall"]["accuracy"]["value"] == 0.5


@pytest.mark.broker
def test_light_work_waits_for_one_heavy_job_at_most(
    worker: Worker, ada: User, phase: Phase, entry: Participation
) -> None:
    """Programs of four teams wait, and what the clock has sent while nobody took it."""
    for _ in range(100):
        jobs.sweep.apply_async(expires=0.1)
    burn = (
        "import time\nend = time.monotonic() + 1\nwhile time.monotonic() < end: pass\n"
    )
    task = task_of(ada, burn + RIGHT)
    with override_settings(HEAVY_SECONDS=0):
        heavy = [
            submitted(task, b"a b x %d" % number, team)
            for team in ("Gulls", "Terns", "Auks", "Skuas")
            for number in range(2)
        ]
    running = Evaluation.objects.filter(
        submission__in=heavy, state=EvaluationState.RUNNING
    )
    wait_until(lambda: running.count() == 2, 60, "both processes run programs")
    already = Event.objects.filter(new=EvaluationState.RUNNING).count()
    light = accept.submit(upload(phase, entry, both()))
    assert not ended(light).heavy
    wait_until(
        lambda: ended(light).state == EvaluationState.SCORED, 60, "the light one"
    )
    begun = Event.objects.filter(new=EvaluationState.RUNNING).order_by("pk")
    order = [event.evaluation.submission_id for event in begun]
    before = order[: order.index(light.pk)]
    assert len(before) <= already + 1
    waiting = Evaluation.objects.filter(submission__in=heavy).exclude(state__in=FINAL)
    assert waiting.exists(), "too few programs: nobody had to wait"


@pytest.mark.parametrize(
    "members",
    [{"a": b"1", "a/answers.txt": b"2"}, {"\N{SNOWMAN}" * 200: b"1"}],
    ids=["a file as a folder", "a name too long"],
)
def test_a_zip_that_no_folder_can_hold_is_refused(
    members: dict[str, bytes], ada: User
) -> None:
    sent = send(task_of(ada, RIGHT), zip_files("sent.zip", members).single())
    one = ended(sent)
    assert one.state == EvaluationState.INVALID
    assert "cannot all be names of files" in one.problems[0]["message"]


def test_what_a_program_locks_away_is_cleared_all_the_same(
    ada: User, settings: Any
) -> None:
    script = (
        "import os, sys\nos.umask(0o777)\nos.mkdir(sys.argv[2] + '/deep', 0)\n"
        "open(sys.argv[2] + '/scores.txt', 'w').write('accuracy: 1')"
    )
    send(task_of(ada, script))
    assert list((settings.DATA / "programs").iterdir()) == []


def test_a_program_with_wheels_survives_its_bundle_whatever_wrote_the_zip(
    ada: User, client: Client
) -> None:
    wheel = zip_files("x.whl", {"counting/__init__.py": b"HALF = 0.5\n"}).single()
    script = (
        "import sys, counting\n"
        "open(sys.argv[2] + '/scores.txt', 'w').write(f'accuracy: {counting.HALF}')"
    )
    made = program(script, counting__whl=wheel)
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as archive:
        archive.mkdir("mine")
        for name, data in unpack(made, (".whl",)).items():
            archive.writestr(f"mine/{name}", data)
    task = task_of(ada, RIGHT)
    client.force_login(ada)
    file = SimpleUploadedFile("program.zip", written.getvalue())
    answer = client.post(page(task), {"action": "replace", "program": file})
    assert answer.status_code == 302
    task = Task.objects.get()
    assert task.options["program"][0]["sha256"] == made.sha256
    plan = plan_of(task)
    assert load(unzip("x.zip", BytesIO(pack_bundle(plan).single()))) == plan
    one = ended(send(task))
    assert one.state == EvaluationState.SCORED, one.program_runs.get().output


@pytest.mark.parametrize(
    "use",
    [
        "import sacrebleu; sacrebleu.corpus_bleu(['a b c d'], [['a b c d']])",
        "from sklearn.metrics import f1_score; f1_score([1, 0], [1, 1])",
        "import tempfile; tempfile.TemporaryDirectory().cleanup()",
        "import tempfile; tempfile.NamedTemporaryFile().close()",
        "import shutil; shutil.copy(sys.argv[1] + '/ref/gold.txt', sys.argv[2])",
    ],
)
def test_what_scoring_programs_commonly_use_works(use: str, ada: User) -> None:
    script = (
        f"import sys\n{use}\n"
        "open(sys.argv[2] + '/scores.txt', 'w').write('accuracy: 1')"
    )
    one = ended(send(task_of(ada, script)))
    (run,) = one.program_runs.all()
    assert (one.state, run.output) == (EvaluationState.SCORED, ""), run.output
