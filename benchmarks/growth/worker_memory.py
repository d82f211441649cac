"""`python -m benchmarks.growth.worker_memory [FILES]`: memory of a worker that scores.

Files of the demo's tasks of several scorers are scored in turn by one process, each in
a child as a worker does it. Printed is the memory of the process in MiB (PSS) at the
beginning and after each fifth of the files.
"""

import argparse
import os
import sys
import tempfile

from benchmarks.growth.memory import MEBIBYTE, memory_in_use

FILES, SCORERS = 10_000, 4


def main(arguments: list[str] | None = None) -> int:
    called = argparse.ArgumentParser(prog="python -m benchmarks.growth.worker_memory")
    called.add_argument("files", type=int, nargs="?", default=FILES)
    options = called.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="plumbline-growth-") as data:
        os.environ["PLUMBLINE_DATA"] = data
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
        import django

        django.setup()
        _run(options.files)
    return 0


def _run(files: int) -> None:
    from django.core.management import call_command

    from leaderboard.submissions import evaluation
    from leaderboard.submissions.models import Evaluation, EvaluationState

    call_command("migrate", "--noinput", verbosity=0)
    call_command("load_demo", verbosity=0)
    found = Evaluation.objects.filter(state=EvaluationState.SCORED)
    of_scorer = {}
    for one in found.select_related("submission__phase__task").order_by("pk"):
        of_scorer.setdefault(one.submission.phase.task.scorer_name, one)
    chosen = [of_scorer[name] for name in sorted(of_scorer)[:SCORERS]]
    print(", ".join(sorted(of_scorer)[:SCORERS]))
    print(f"0 files: {memory_in_use() / MEBIBYTE:.0f}", flush=True)
    scored = 0
    for number in range(1, files + 1):
        one = chosen[number % len(chosen)]
        # Another table asks for another evaluation of the same file.
        again = Evaluation.objects.create(
            submission=one.submission,
            gold_revision_id=one.gold_revision_id,
            engine=one.engine,
            table_version=number,
        )
        evaluation.run(again.pk)
        again.refresh_from_db()
        scored += again.state == EvaluationState.SCORED
        if number % max(1, files // 5) == 0:
            used = memory_in_use() / MEBIBYTE
            print(f"{number:,} files, {scored:,} scored: {used:.0f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
