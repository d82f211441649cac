"""Uploads through the API, then one, two and four workers that score them."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF
from statistics import median
from time import perf_counter
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
from leaderboard.sandbox.client import run_in_child  # noqa: E402
from leaderboard.submissions import dispatch, evaluation  # noqa: E402
from leaderboard.submissions.models import Evaluation, EvaluationState  # noqa: E402
from leaderboard.tasks.models import GoldFile, Phase  # noqa: E402
from leaderboard.teams.models import User  # noqa: E402
from scoring.source import Source  # noqa: E402

WORKERS = (1, 2, 4)
TEAMS = 20  # two of a team are scored at a time
ADDRESS = f"/api/v1/tasks/{SLUG}/test/submissions/"
RUNS = 9
# One for all: each looks through the static files before its first request.
SITE = Client()
ROOT = Path(__file__).parents[2]


class NotScored(RuntimeError):
    """An upload was refused, or a worker failed: there is nothing to measure."""


def measured(files: int) -> dict[str, Any]:
    """`files` uploads for each number of workers. Milliseconds and files a second."""
    keys = [_token(user) for user in User.objects.order_by("pk")[:TEAMS]]
    intake, rates = [], []
    _sent(keys[0])  # the first one starts the site
    for workers in WORKERS:
        before = Evaluation.objects.aggregate(last=Max("pk"))["last"] or 0
        intake += [_sent(keys[number % TEAMS]) for number in range(files)]
        rates.append(_rate(workers, before))
    _gold, system = pair()
    return {
        "intake_ms": median(intake),
        "upload_bytes": len(system),
        "workers": {"sizes": list(WORKERS), "rates": rates, "alone_ms": _alone()},
        "parts": _parts(keys[0]),
        "cores": os.cpu_count(),
    }


def _token(user: User) -> str:
    return tokens.make(user, "growth", [Scope.SUBMIT])[1]


def _sent(token: str) -> float:
    _gold, system = pair()
    form = {"system": "grown", "file_main": SimpleUploadedFile("m.conllu", system)}
    start = perf_counter()
    answer = SITE.post(ADDRESS, form, headers={"Authorization": f"Bearer {token}"})
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
    count = _engine()
    return median(_processor_ms(count)[0] for _ in range(5))


def _engine() -> Callable[[], bytes]:
    """A call that counts the file and summarises the counts."""
    phase = Phase.objects.select_related("task").get()
    (test_set,) = phase.test_sets.all()
    gold_file = GoldFile.objects.get(revision=phase.gold_revision)
    gold = evaluation.gold_of(phase.task, gold_file)
    source = Source.of_bytes("m.conllu", pair()[1])

    def engine() -> bytes:
        counts = evaluation.count_runs(phase.task, (gold, [source]), [])
        evaluation.estimates_of(phase, [test_set], {test_set: counts}, {})
        return b""

    return engine


def _parts(token: str) -> dict[str, float]:
    """Parts of a worker's processor time; milliseconds, medians."""
    engine, limits = _engine(), evaluation.score_limits()
    last = Evaluation.objects.aggregate(last=Max("pk"))["last"]
    for _ in range(RUNS + 1):
        _sent(token)
    new = Evaluation.objects.filter(pk__gt=last).values_list("pk", flat=True)
    first, *rest = new.order_by("pk")
    evaluation.run(first)
    # While they wait: where nothing does, there is no turn.
    choose = partial(dispatch.in_turn, Evaluation.objects.ready(), 4, False, False)
    turn = [_processor_ms(choose)[0] for _ in rest]
    whole = [_processor_ms(partial(evaluation.run, pk)) for pk in rest]
    empty = [_processor_ms(lambda: run_in_child(bytes, limits)) for _ in rest]
    child = [_processor_ms(lambda: run_in_child(engine, limits)) for _ in rest]
    alone = median(_processor_ms(engine)[0] for _ in rest)
    forked = median(sum(pair) for pair in empty)
    return {
        "the engine, in the worker itself": alone,
        "a child that does nothing: fork, restrictions, end": forked,
        "memory that the engine touches first in a child": median(
            sum(pair) for pair in child
        )
        - forked
        - alone,
        "claim, files, answer and result, in the worker and its child": median(
            sum(pair) for pair in whole
        )
        - median(sum(pair) for pair in child),
        "the choice of whose turn it is": median(turn),
        "all of it": median(sum(pair) for pair in whole) + median(turn),
    }


def _processor_ms(work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of this process, and of its children that ended."""
    before = _used()
    work()
    own, children = (now - then for now, then in zip(_used(), before, strict=True))
    return 1000 * own, 1000 * children


def _used() -> tuple[float, float]:
    of = (resource.getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    own, children = (used.ru_utime + used.ru_stime for used in of)
    return own, children
