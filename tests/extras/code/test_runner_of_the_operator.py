"""Code of teams run by a declared command in place of the sandbox: a real process."""

import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.extras.code.models import CodeRun
from leaderboard.submissions.models import EvaluationState
from leaderboard.tasks.bundle.create import create_task
from leaderboard.teams.models import User
from tests.extras.code.test_code_before_programs import HEAD, LOWER, code, code_bundle
from tests.extras.programs.test_programs import ended, send
from tests.leaderboard.small import attempts_left
from tests.organize.phase_fields import text
from tests.scoring.test_declared_runner import STAND_IN

# The scoring program runs in the real sandbox.
pytestmark = [pytest.mark.django_db, pytest.mark.thorough]


@pytest.fixture(autouse=True)
def declared(settings: Any) -> None:
    settings.PROGRAMS = "everyone"
    settings.PROGRAM_CPU_SECONDS, settings.PROGRAM_WALL_SECONDS = 2, 60
    settings.CODE_RUNNER = (sys.executable, str(STAND_IN), "well")
    settings.MOST_ATTEMPTS = 1


def test_code_is_scored_and_what_nobody_knows_is_left_out(
    ada: User, client: Client
) -> None:
    """Three of four words are right, as in the sandbox."""
    sent = send(create_task(code_bundle(), ada), code(LOWER))
    assert ended(sent).results["overall"]["accuracy"]["value"] == 0.75
    facts = CodeRun.objects.get().facts
    assert facts["seconds"] > 0 and "python" not in facts
    assert "packages_sha256" not in facts
    client.force_login(ada)
    page = client.get(reverse("organize-code", args=[sent.phase.task.slug]))
    assert "an environment of the operator's" in text(page)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("raise ValueError(words)", "line 5 of predict.py: ValueError"),
        ("while True: pass", "2 s of processor time, the limit"),
        ("while True: print(words * 999)", "KiB of output, the limit"),
        ("sys.exit(125)", "an error or exit code of its own"),
    ],
)
def test_what_code_does_wrong_is_the_teams_fault(
    script: str, said: str, ada: User
) -> None:
    sent = send(create_task(code_bundle(), ada), code(HEAD + script))
    evaluation = ended(sent)
    assert evaluation.state == EvaluationState.INVALID
    assert said in evaluation.problems[0]["message"]
    assert attempts_left(sent.phase, sent.participation, sent.received_at) == 2


@pytest.mark.parametrize("how", ["fails", "is killed", "is silent", "absent"])
def test_what_the_runner_does_wrong_gives_the_attempt_back_and_tells_the_operator(
    how: str, ada: User, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    if how == "absent":
        settings.CODE_RUNNER = (str(Path("/no/such/runner")),)
    else:
        settings.CODE_RUNNER = (sys.executable, str(STAND_IN), how)
    with caplog.at_level(logging.CRITICAL):
        sent = send(create_task(code_bundle(), ada), code(LOWER))
    evaluation = ended(sent)
    assert evaluation.state == EvaluationState.FAILED_SYSTEM
    assert "the code runner" in evaluation.last_error
    assert attempts_left(sent.phase, sent.participation, sent.received_at) == 3
    assert any("given up: the code runner" in line for line in caplog.messages)
