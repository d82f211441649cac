"""P19: an upgrade amid work: stop, back up, migrate, start; nothing is lost."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from celery import current_app
from django.conf import settings
from django.db import connection

from leaderboard.submissions import accept, leases
from leaderboard.submissions.models import FINAL, Evaluation, EvaluationState
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.campaigns.invariants import violations
from tests.campaigns.restarts import postgres
from tests.leaderboard.small import both, bundle, upload
from tests.operations.units import grown_site, manage
from tests.waiting import wait_until

pytestmark = pytest.mark.databases("sql")

QUEUED, RUNNING, DONE_BEFORE = 200, 4, 5
STOP_SECONDS = 30


def ended() -> int:
    connection.close()
    return Evaluation.objects.filter(state__in=FINAL).count()


def send(phase: Phase, number: int) -> list[str]:
    phase.daily_limit = None
    phase.save()
    ben = User.objects.create_user("ben@example.org", "x")
    entry = join(phase.task, Team.found("Bens", ben))
    sent = (accept.submit(upload(phase, entry, both())) for _ in range(number))
    return [str(submission.pk) for submission in sent]


def of_another_version(number: int) -> None:
    """Jobs that lie in the queue and have a name that nobody knows any more."""
    for _ in range(number):
        current_app.send_task("submissions.of_another_version", (1,))
        current_app.send_task("api.webhooks")  # the job of an extra that left


@pytest.mark.campaign
@pytest.mark.parametrize("production", ["sqlite", "postgresql"], indirect=True)
def test_an_upgrade_with_200_queued_and_4_running_loses_nothing(
    pg_programs: None, production: dict[str, str], tmp_path: Path
) -> None:
    ada = User.objects.create_user("ada@example.org", "x")
    phase = create_task(bundle(), ada).phases.get()
    acknowledged = send(phase, QUEUED + RUNNING)
    # Their workers are ended before they are done, as by a stop that took too long.
    rows = Evaluation.objects.order_by("pk").values_list("pk", flat=True)
    cut_off = list(rows[:RUNNING])
    assert all(map(leases.claim, cut_off))
    with grown_site(production, webs=1, workers=1, grace=STOP_SECONDS):
        wait_until(lambda: ended() >= DONE_BEFORE, 120, "some are scored")
        assert ended() < QUEUED, "stopped in the middle"
    before = ended()
    running = Evaluation.objects.filter(state=EvaluationState.RUNNING)
    assert not running.exclude(pk__in=cut_off).exists(), "what was begun is finished"
    made = str(tmp_path / "made.tar")
    manage("backup", made, env=production)
    manage("migrate", "--noinput", env=production)
    of_another_version(5)
    began = time.monotonic()
    with grown_site(production, webs=1, workers=2):
        wait_until(lambda: ended() == QUEUED + RUNNING, 300, "everything is scored")
    took = time.monotonic() - began
    print(f"P19: {before} scored before, {ended() - before} after it in {took:.0f} s")
    assert violations(acknowledged) == []
    assert set(Evaluation.objects.values_list("state", flat=True)) == {
        EvaluationState.SCORED
    }
    connection.close()
    manage("restore", made, "--replace", env=production)  # and back to before
    assert ended() == before
    assert violations(acknowledged) == []


@pytest.mark.campaign
def test_the_time_that_an_upgrade_is_down_is_measured() -> None:
    """From the commit that the benchmark names, which a clone has."""
    argv = [sys.executable, "-m", "benchmarks.upgrade", "--tasks", "5"]
    argv += ["--submissions", "300", "--large", "100", "--database"]
    with postgres() as server:
        printed = subprocess.run(
            [*argv, server.url],
            cwd=settings.BASE_DIR,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    (due,) = re.findall(r"300 submissions, (\d+) migrations", printed)
    assert int(due) >= 6
    steps = dict(re.findall(r"^\| (\w[^|]*) \| ([\d.]+) \|", printed, re.MULTILINE))
    *parts, total = map(float, steps.values())
    assert len(parts) == 3 and total == pytest.approx(sum(parts), abs=0.2)
