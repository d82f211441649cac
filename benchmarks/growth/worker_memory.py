"""`python -m benchmarks.growth.worker_memory`: memory of a worker after many files.

The site is a new one with the demonstration on SQLite. This process then does what
`manage.py work` does for each submission, in turns with one of each scorer that the
demonstration has, whose evaluations are put back into the queue. Printed is its memory
in MiB (PSS).
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchmarks.growth.memory import MEBIBYTE, memory_in_use

if TYPE_CHECKING:
    from leaderboard.submissions.models import Evaluation


def main(arguments: list[str] | None = None) -> int:
    called = argparse.ArgumentParser(prog="python -m benchmarks.growth.worker_memory")
    called.add_argument("--files", type=int, default=10_000)
    called.add_argument("--each", type=int, default=1_000, help="between two looks")
    options = called.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="plumbline-growth-") as data:
        os.environ["PLUMBLINE_DATA"] = data
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
        import django

        django.setup()
        print("| files | MiB | files that are open | seconds |\n|--:|--:|--:|--:|")
        for row in _looks(options.files, options.each):
            print("|", " | ".join(f"{value:.0f}" for value in row), "|", flush=True)
    return 0


def _looks(files: int, each: int) -> Iterator[tuple[float, ...]]:
    """Files that were scored, memory in MiB, descriptors and seconds, after each."""
    from django.core.management import call_command

    from leaderboard.submissions import evaluation
    from leaderboard.submissions.models import EvaluationState as State

    call_command("migrate", "--noinput", verbosity=0)
    call_command("load_demo", verbosity=0)
    chosen, began = _one_of_each(), time.monotonic()
    for number in range(files):
        same = chosen[number % len(chosen)]
        same.counts.all().delete()
        rows = type(same).objects.filter(pk=same.pk)
        rows.update(state=State.QUEUED, attempt=0, lease_token=None, lease_until=None)
        if not evaluation.run(same.pk) or rows.get().state != State.SCORED:
            raise RuntimeError(f"evaluation {same.pk} was not scored")
        if number == 0 or (number + 1) % each == 0:
            opened = len(os.listdir("/proc/self/fd"))
            seconds = time.monotonic() - began
            yield number + 1, memory_in_use() / MEBIBYTE, opened, seconds


def _one_of_each() -> "list[Evaluation]":
    """One evaluation of each scorer of the demonstration."""
    from leaderboard.submissions.models import Evaluation, EvaluationState

    by_scorer: dict[str, Evaluation] = {}
    scored = Evaluation.objects.filter(state=EvaluationState.SCORED).order_by("pk")
    for evaluation in scored.select_related("submission__phase__task"):
        by_scorer.setdefault(evaluation.submission.phase.task.scorer_name, evaluation)
    print("Scorers:", ", ".join(by_scorer), file=sys.stderr)
    return list(by_scorer.values())


if __name__ == "__main__":
    sys.exit(main())
