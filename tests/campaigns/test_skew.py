"""P12: clocks of web servers and workers that are ten minutes wrong move nothing."""

import asyncio
import json
import shutil
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.request import urlopen
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from leaderboard.submissions import leases
from leaderboard.submissions.models import Evaluation, QuotaCounter, Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.campaigns.browsers import Answer, Request, post
from tests.campaigns.chaos import Storm, everything_ended, send_all
from tests.campaigns.invariants import violations
from tests.campaigns.site import brokerless_worker, cookies_of, web_server
from tests.leaderboard.channels import PAGE
from tests.leaderboard.small import both
from tests.waiting import wait_until

# Only another machine can have another clock, and SQLite has none.
pytestmark = [
    pytest.mark.campaign,
    pytest.mark.usefixtures("shared_database"),
    pytest.mark.databases("time"),
]
WRONG = 600
SKEWS = (-WRONG, 0, WRONG)
MOST_LAG = 5.0  # between a request and its stamp, on a busy machine
EACH = 20
LEASE, MOST_SWEEP = 8, 20.0
# Their own leases are long, so that a busy machine ends none.
PATIENT = {"DJANGO_SETTINGS_MODULE": "tests.settings"}


@pytest.fixture
def shared_database(transactional_db: None) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite is one machine with one clock")


@pytest.fixture
def skewed(tmp_path: Path) -> Mapping[int, Mapping[str, str]]:
    """Environments of programs whose clock is so many seconds ahead."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler to make a wrong clock with")
    library = tmp_path / "skewed_clock.so"
    source = Path(__file__).with_name("skewed_clock.c")
    argv = [compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(argv, check=True)
    return {
        skew: {"LD_PRELOAD": str(library), "SKEW_SECONDS": str(skew)} for skew in SKEWS
    }


def sent_to(port: int, user: User) -> tuple[Answer, float]:
    """One upload by form, and when it was begun by the clock of this machine."""
    files = {f"file_{name}": data for name, data in both().items()}
    fields = {"system": "otter-1", "key": uuid4().hex, "again": "on"}
    asked = Request(PAGE, cookies_of(user), fields, files)
    with ThreadPoolExecutor(1) as apart:
        answer = apart.submit(asyncio.run, post(port, asked)).result()
    return answer, answer.began


def told_ahead(port: int) -> float:
    """The clock's lead by /readyz of a web server, in seconds."""
    with urlopen(f"http://127.0.0.1:{port}/readyz") as answer:
        found: float = json.load(answer)["clock_seconds"]
    return found


@pytest.mark.parametrize("minutes", [-5, 5], ids=["after the end", "before it"])
def test_a_web_server_with_a_wrong_clock_judges_no_deadline(
    minutes: int,
    skewed: Mapping[int, Mapping[str, str]],
    open_phase: Phase,
    teams: list[Participation],
) -> None:
    open_phase.closes = timezone.now() + timedelta(minutes=minutes)
    open_phase.save()
    user = teams[0].team.members.get()
    for skew in SKEWS:
        with web_server(**skewed[skew]) as port:
            answer, began = sent_to(port, user)
            ahead = told_ahead(port)
        sent = Submission.objects.get(pk=answer.submission)
        lag = sent.received_at.timestamp() - began
        print(
            f"P12: a web clock {skew} s ahead, the stamp {lag:.3f} s after the upload"
        )
        assert -0.1 <= lag <= MOST_LAG
        assert abs(ahead - skew) < 1, "the machine says how wrong its clock is"
        assert sent.late == (minutes < 0)
        today = open_phase.day_of(datetime.fromtimestamp(began, UTC))
        counted = QuotaCounter.objects.filter(person=None, kind=sent_as(sent))
        assert counted.get().day == today
    assert violations() == []


def sent_as(sent: Submission) -> str:
    return "late" if sent.late else "scored"


def test_workers_with_wrong_clocks_take_no_work_from_each_other(
    skewed: Mapping[int, Mapping[str, str]],
    teams: list[Participation],
    open_phase: Phase,
    no_queue: None,
    settings: object,
) -> None:
    open_phase.daily_limit = None
    open_phase.save()
    settings.LEASE_SECONDS = LEASE  # type: ignore[attr-defined]
    left, *others = send_all(Storm(EACH, 0, {}), open_phase, teams)
    dead = Evaluation.objects.get(submission=left)
    assert leases.claim(dead.pk), "by a worker that dies at once"
    with ExitStack() as stack:
        for env in skewed.values():
            stack.enter_context(brokerless_worker(**PATIENT, **env))
        wait_until(everything_ended, 180, "everything ended")
    assert violations([left, *others]) == []
    attempts = Evaluation.objects.exclude(pk=dead.pk).values_list("attempt", flat=True)
    assert set(attempts) == {1}
    # It is begun twice: by the dead one, and by whoever scores it in the end.
    claimed = dead.events.filter(new="running").first().at
    freed = dead.events.get(old="running", new="queued").at
    waited = (freed - claimed).total_seconds()
    print(f"P12: a lease of {LEASE} s was ended after {waited:.1f} s")
    assert LEASE <= waited <= LEASE + MOST_SWEEP
