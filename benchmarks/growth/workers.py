"""Uploads through the API, then one, two and four workers that score them."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import django

django.setup()

from django.core.files.uploadedfile import SimpleUploadedFile  # noqa: E402
from django.db.models import Max, Min  # noqa: E402
from django.test import Client  # noqa: E402

from benchmarks._treebanks import pair  # noqa: E402
from benchmarks.site.filling import SLUG  # noqa: E402
from leaderboard.api import tokens  # noqa: E402
from leaderboard.api.models import Scope  # noqa: E402
from leaderboard.submissions import evaluation  # noqa: E402
from leaderboard.submissions.models import Evaluation, EvaluationState  # noqa: E402
from leaderboard.tasks.models import GoldFile, Phase  # noqa: E402
from leaderboard.teams.models import User  # noqa: E402
from scoring.source import Source  # noqa: E402

WORKERS = (1, 2, 4)
TEAMS = 20  # two of a team are scored at a time
ADDRESS = f"/api/v1/tasks/{SLUG}/test/submissions/"
ROOT = Path(__file__).parents[2]


class NotScored(RuntimeError):
    """An upload was refused, or a worker failed: there is nothing to measure."""


def measured(files: int) -> dict[str, Any]:
    """`files` uploads for each number of workers. Milliseconds and files a second."""
    keys = [_token(user) for user in User.objects.order_by("pk")[:TEAMS]]
    intake, rates = [], []
    for workers in WORKERS:
        before = Evaluation.objects.aggregate(last=Max("pk"))["last"] or 0
        intake += [_sent(keys[number % TEAMS]) for number in range(files)]
        rates.append(_rate(workers, before))
    _gold, system = pair()
    return {
        "intake_ms": median(intake),
        "upload_bytes": len(system),
        "workers": {"sizes": list(WORKERS), "rates": rates, "alone_ms": _alone()},
        "cores": os.cpu_count(),
    }


def _token(user: User) -> str:
    return tokens.make(user, "growth", [Scope.SUBMIT])[1]


def _sent(token: str) -> float:
    _gold, system = pair()
    form = {"system": "grown", "file_main": SimpleUploadedFile("m.conllu", system)}
    client = Client(headers={"Authorization": f"Bearer {token}"})
    start = perf_counter()
    answer = client.post(ADDRESS, form)
    if answer.status_code != 201:
        raise NotScored(answer.content.decode())
    return 1000 * (perf_counter() - start)


def _rate(workers: int, before: int) -> float:
    """Files a second between the first result and the last."""
    command = [sys.executable, "manage.py", "work", "--until-empty", "--poll", "0.1"]
    # There is no site beside them to give way to.
    env = os.environ | {"PLUMBLINE_WORKER_NICE": "0"}
    started = [subprocess.Popen(command, cwd=ROOT, env=env) for _ in range(workers)]
    if any([process.wait() for process in started]):
        raise NotScored("a worker ended with an error")
    rows = Evaluation.objects.filter(pk__gt=before, state=EvaluationState.SCORED)
    said = rows.aggregate(first=Min("finished_at"), last=Max("finished_at"))
    seconds = (said["last"] - said["first"]).total_seconds()
    return (rows.count() - 1) / seconds


def _alone() -> float:
    """The same file by the engine in this process: no claim, no child, no database."""
    phase = Phase.objects.select_related("task").get()
    (test_set,) = phase.test_sets.all()
    gold_file = GoldFile.objects.get(revision=phase.gold_revision)
    gold = evaluation.gold_of(phase.task, gold_file)
    source = Source.of_bytes("m.conllu", pair()[1])
    times: Sequence[float] = [_once(phase, test_set, (gold, source)) for _ in range(5)]
    return median(times)


def _once(phase: Phase, test_set: Any, both: Any) -> float:
    start = process_time()
    gold, source = both
    counts = evaluation.count_runs(phase.task, (gold, [source]))
    evaluation.summarised(phase, [test_set], {test_set: counts}, {})
    return 1000 * (process_time() - start)
