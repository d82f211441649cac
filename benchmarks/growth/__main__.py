"""`python -m benchmarks.growth [--write]`: growth curves beside their limits.

With --write they go into docs/evidence/performance.md, and what follows from them
for large campaigns into docs/evidence/scale.md.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import capacity
from benchmarks.__main__ import machine
from benchmarks.growth import engine, report


def main(arguments: list[str] | None = None) -> int:
    """Slow numbers are no failure; an upload or a worker that fails is an exception."""
    called = argparse.ArgumentParser(prog="python -m benchmarks.growth")
    called.add_argument("--runs", type=int, default=7, help="of each time (7)")
    called.add_argument(
        "--files", type=int, default=60, help="for each number of workers"
    )
    called.add_argument("--write", action="store_true", help="into docs/ too")
    options = called.parse_args(arguments)
    figures = measured(options.runs, options.files)
    print("\n".join(report.lines(figures)))
    if options.write:
        report.write(figures)
        capacity.write()
    return 0


def measured(runs: int, files: int) -> dict[str, Any]:
    print("engine ...", file=sys.stderr, flush=True)
    figures = engine.measured(runs) | {"machine": machine().partition(", numpy")[0]}
    with tempfile.TemporaryDirectory(prefix="plumbline-growth-") as folder:
        return figures | _of_the_site(Path(folder), runs, files)


def _of_the_site(data: Path, runs: int, files: int) -> dict[str, Any]:
    os.environ["PLUMBLINE_DATA"] = str(data)
    os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    from benchmarks.growth import boards

    print("boards ...", file=sys.stderr, flush=True)
    of_boards = boards.measured(runs)
    from benchmarks.growth import workers

    print("workers ...", file=sys.stderr, flush=True)
    return of_boards | workers.measured(files)


if __name__ == "__main__":
    sys.exit(main())
