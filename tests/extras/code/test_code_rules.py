"""Rules for the code of teams: seconds of a day, size, logs; and what receipts say."""

import hashlib
import json
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
import yaml
from django.test import Client
from django.urls import reverse

from leaderboard.extras.code.models import CodeRule, CodeRun
from leaderboard.submissions.models import EvaluationState, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.dump import pack_bundle, plan_of
from leaderboard.tasks.bundle.files import unzip
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from scoring import receipt
from scoring.errors import SetupError
from scoring.sandbox.team_code import CodeCost
from scoring.source import Source
from tests.extras.code.test_code_before_programs import (
    HEAD,
    LOWER,
    SECRET,
    code,
    code_bundle,
    seen,
)
from tests.extras.programs.test_programs import ended, send, submitted
from tests.organize.phase_fields import text

pytestmark = pytest.mark.django_db
REAL = pytest.mark.thorough  # the real sandbox


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    settings.PROGRAMS = "everyone"
    settings.PROGRAM_CPU_SECONDS, settings.PROGRAM_WALL_SECONDS = 2, 60


@pytest.fixture
def task(ada: User) -> Task:
    return create_task(code_bundle(), ada)


def rule(task: Task, **values: Any) -> CodeRule:
    return CodeRule.objects.create(phase=task.phases.get(), **values)


def ran(sent: Submission, seconds: float) -> None:
    """A run of a submission's code, as if it had taken so long."""
    one = sent.evaluations.get()
    CodeRun.objects.update_or_create(
        evaluation=one,
        test_set=sent.phase.test_sets.get(),
        defaults={"seconds": seconds},
    )


def test_a_team_whose_code_ran_all_seconds_of_the_day_sends_again_tomorrow(
    task: Task,
) -> None:
    rule(task, seconds_a_day=100)
    first = submitted(task, code(), "Gulls")
    ran(first, 99)
    second = submitted(task, code(LOWER + "# 2\n"), "Gulls")  # one second is left
    ran(second, 1)
    with pytest.raises(Refusal, match="ran for all 100 s of today") as refusal:
        submitted(task, code(LOWER + "# 3\n"), "Gulls")
    assert (refusal.value.code, refusal.value.status) == ("seconds_used", 429)
    assert refusal.value.next_at and refusal.value.next_at > first.received_at
    yesterday = first.received_at - timedelta(days=1)
    Submission.objects.filter(pk=first.pk).update(received_at=yesterday)
    assert submitted(task, code(LOWER + "# 4\n"), "Gulls")


def test_seconds_of_one_team_are_not_those_of_another(task: Task) -> None:
    rule(task, seconds_a_day=100)
    ran(submitted(task, code(), "Gulls"), 100)
    assert submitted(task, code(), "Terns")
    with pytest.raises(Refusal):
        submitted(task, code(LOWER + "# 2\n"), "Gulls")


def test_code_beyond_the_size_of_the_phase_is_refused_with_both_sizes(
    task: Task,
) -> None:
    rule(task, most_megabytes=1)
    weights = b"".join(hashlib.sha512(b"%d" % n).digest() for n in range(40_000))
    with pytest.raises(Refusal, match=r"may have 1 MB .* this one has 2\.\d MB") as no:
        submitted(task, code(**{"weights.bin": weights}), "Gulls")
    assert (no.value.code, no.value.status) == ("code_too_large", 413)


def test_rules_are_set_by_form_and_bind_each_phase_for_itself(
    task: Task, ada: User, client: Client
) -> None:
    client.force_login(ada)
    address = reverse("organize-code", args=[task.slug])
    name = task.phases.get().name
    fields = {f"{name}-seconds_a_day": 600, f"{name}-most_megabytes": 50}
    answer = client.post(address, {"action": "rules", **fields})
    assert answer.status_code == 302
    kept = CodeRule.objects.get()
    assert (kept.seconds_a_day, kept.most_megabytes, kept.show_log) == (600, 50, False)
    fields[f"{name}-seconds_a_day"] = 86_401
    wrong = client.post(address, {"action": "rules", **fields})
    assert "86400" in text(wrong)
    assert CodeRule.objects.get().seconds_a_day == 600


def test_a_bundle_keeps_the_rules(task: Task) -> None:
    rule(task, seconds_a_day=600, show_log=True)
    plan = plan_of(task)
    again = load(unzip("x.zip", BytesIO(pack_bundle(plan).single())))
    (kept,) = again.code_rules
    assert (kept.name, kept.seconds_a_day) == (task.phases.get().name, 600)
    assert kept.show_log
    assert again == plan


def test_a_rule_of_a_phase_that_is_not_there_is_refused(ada: User) -> None:
    made = code_bundle()
    table = yaml.safe_load(made.files["task.yaml"])
    table["code_rules"] = [{"name": "otters", "seconds_a_day": 9}]
    files = {**made.files, "task.yaml": yaml.safe_dump(table).encode()}
    with pytest.raises(SetupError, match="no phase 'otters'"):
        create_task(Source(made.name, files), ada)


@REAL
def test_code_runs_no_longer_than_its_team_has_seconds(task: Task) -> None:
    rule(task, seconds_a_day=10)
    ran(submitted(task, code(), "Gulls"), 9)
    sent = send(task, code(HEAD + "while True: os.listdir(source)\n"))
    one = ended(sent)
    assert one.state == EvaluationState.INVALID
    (problem,) = one.problems
    assert "your code needed more than" in problem["message"]
    assert 0.5 < CodeRun.objects.get(evaluation=one).seconds < 5


@REAL
def test_what_code_prints_is_shown_to_its_team_where_organizers_say_so(
    task: Task, ada: User, client: Client
) -> None:
    shown = rule(task, show_log=True)
    sent = send(task, code(LOWER + "print('layers', words)\n"))
    client.force_login(sent.sender)
    assert f"layers A B C {SECRET}" in seen(sent, client)
    assert "read 4 answers" not in seen(sent, client)  # the program's
    shown.show_log = False
    shown.save()
    assert SECRET not in seen(sent, client)


@REAL
def test_the_receipt_says_what_ran(task: Task, ada: User, client: Client) -> None:
    """The hash of what was written is that of `sha256sum answers.txt`'s line."""
    zipped = code()
    sent = send(task, zipped)
    client.force_login(ada)
    name = task.test_sets.get().name
    data = client.get(reverse("receipt", args=[sent.pk, name])).content
    facts = json.loads(data)["code"]
    written = hashlib.sha256(f"a b c {SECRET}\n".encode()).hexdigest()
    line = f"{written}  answers.txt\n".encode()
    assert facts["output_sha256"] == hashlib.sha256(line).hexdigest()
    assert facts["code_sha256"] == hashlib.sha256(zipped).hexdigest()
    assert facts["limits"]["cpu_seconds"] == 2
    assert 0 < facts["seconds"] < 60
    assert receipt.load("receipt.json", data).code == facts
    page = client.get(reverse("organize-code", args=[task.slug]))
    memory = facts["peak_megabytes"]
    assert memory is None or memory > 0
    words = f"{memory} MB of memory" if memory else "too short a run to see its memory"
    assert words in text(page)


def test_memory_that_nobody_saw_is_no_number() -> None:
    seen, unseen = (CodeCost(0.05, size, "0" * 64) for size in (12_400_000, 0))
    assert (seen.peak_megabytes, unseen.peak_megabytes) == (12, None)
