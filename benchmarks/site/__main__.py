"""`python -m benchmarks.site`: how fast a large board is answered.

A thousand submissions of 250 teams with ten measures. First the server's own times
without a network, then readers at a steady rate while the workers score, then the
server's times for ten thousand submissions.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._page import DOCS, PERFORMANCE, put

if TYPE_CHECKING:
    from benchmarks.site.readers import Answer

BEGIN, END = "<!-- site: begin -->", "<!-- site: end -->"
RATE = 200
AT_REST = 3.0  # seconds, until what was being rendered is done
FILES_A_SECOND = 15  # more than two workers score, so that they never run out


def main(arguments: list[str] | None = None) -> int:
    """The exit code is 1 if a request failed, whatever the times are."""
    called = argparse.ArgumentParser(prog="python -m benchmarks.site")
    called.add_argument("--seconds", type=int, default=20, help="of load (20)")
    called.add_argument("--rate", type=int, default=RATE, help="requests a second")
    called.add_argument(
        "--write", action="store_true", help=f"into {PERFORMANCE.name} too"
    )
    called.add_argument(
        "--browser",
        action="store_true",
        help="click to score, and 2,000 rows, in Chromium",
    )
    called.add_argument(
        "--rush",
        action="store_true",
        help="uploads before a deadline, and readers of all pages of a large site",
    )
    options = called.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="plumbline-bench-") as folder:
        rows, failed = measured(Path(folder), options.rate, options.seconds)
    rows += by_itself("large") + by_itself("judges")
    if options.browser:
        rows += by_itself("click") + by_itself("browser")
    if options.rush:
        rows += by_itself("rush") + by_itself("public")
    print("\n".join(rows))
    if options.write:
        write(rows)
    return 1 if failed else 0


def measured(data: Path, rate: int, seconds: int) -> tuple[list[str], int]:
    """Lines of a table, and how many requests failed."""
    os.environ["PLUMBLINE_DATA"] = str(data)
    os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    from benchmarks.site import alone

    print("making a board of 1,000 submissions ...", file=sys.stderr, flush=True)
    alone.prepare(FILES_A_SECOND * seconds)
    rows = alone.rows()
    print(f"{rate} requests a second for {seconds} s ...", file=sys.stderr, flush=True)
    more, failed = under_load(data, rate, seconds)
    head = ["| what | p50 | p95 | target |", "|---|--:|--:|---|"]
    return [*head, *rows, *more], failed


def by_itself(module: str) -> list[str]:
    """Lines of a module in a process of its own: a process has one database."""
    command = [sys.executable, "-m", f"benchmarks.site.{module}"]
    return subprocess.check_output(command, cwd=DOCS.parent, text=True).splitlines()


def under_load(data: Path, rate: int, seconds: int) -> tuple[list[str], int]:
    from benchmarks.site import alone, readers, serving

    before = alone.left_to_score()
    asks = readers.board_asks(alone.BOARD, rate, seconds)
    with serving.site(data) as started:
        first = dict.fromkeys(ask.path for ask in asks)
        told = readers.answers_of(started.address, asks, list(first))
        left = alone.left_to_score()
        time.sleep(AT_REST)
        memory = started.web_memory()
    rows, failed = described(told, rate, seconds, (before - left, left))
    part = f"{memory.share} MiB" if memory.share else "n/a"
    rows.append(f"| memory of a web process after it (PSS) | {part} | | 200 MiB |")
    whole = f"| the same, shared memory in full (RSS); at its most | {memory.now} MiB"
    return [*rows, f"{whole} | {memory.most} MiB | |"], failed


def described(
    told: "Sequence[Answer]", rate: int, seconds: int, scored: tuple[int, int]
) -> tuple[list[str], int]:
    from benchmarks.site.alone import line

    failed = sum(answer.status != 200 for answer in told)
    work = f"{rate} requests/s for {seconds} s, two workers scoring"
    largest = max(answer.size for answer in told)
    rows = [
        line(work, [answer.milliseconds for answer in told], "p95 200 ms"),
        f"| of {len(told)} requests failed | {failed} | | 0 |",
        f"| largest answer, compressed | {largest / 1000:.0f} kB | | 120 kB |",
        f"| scored meanwhile, still waiting | {scored[0]} | {scored[1]} | |",
    ]
    return rows, failed


def write(rows: list[str]) -> None:
    from benchmarks.__main__ import machine

    # Rows without a target are printed alone.
    aims = [row for row in rows if not row.removesuffix("|").rstrip().endswith("|")]
    told = [*aims, "", machine().partition(", numpy")[0] + "."]
    put(PERFORMANCE, "\n".join(told), (BEGIN, END))


if __name__ == "__main__":
    sys.exit(main())
