"""Scoring programs: a run from the stored zips to its result, against the bare script.

The peer is the same script begun by itself. Time on the clock, since the work is done
by other processes.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from scoring.formats.bundle import zip_files
from scoring.sandbox.scoring_program import ProgramLimits, RunPlace, run
from scoring.source import Source

RUNS = 21
SCRIPT = """\
import sys
open(sys.argv[1] + "/scores.txt", "w").write("score: 1")
"""
LIMITS = ProgramLimits(10, 60.0, 1 << 30, 64 << 20, 1000, 1 << 20)


def rows() -> list[dict[str, Any]]:
    """Paired timings, ours and the bare script in turn."""
    metadata = b"command: python3 score.py $output\n"
    files = {"metadata": metadata, "score.py": SCRIPT.encode()}
    answers = Source.of_bytes("answers.txt", b"a b c d\n" * 10_000)
    sources = zip_files("program.zip", files), answers, answers
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "score.py")
        script.write_text(SCRIPT)
        words = [sys.executable, "-s", "-B", str(script), folder]
        place = RunPlace(sys.executable, f"{folder}/runs")

        def ours() -> None:
            assert run(sources, "", LIMITS, place).outcome.files

        def bare() -> None:
            subprocess.run(words, check=True)

        ours(), bare()
        pairs = [(_milliseconds(ours), _milliseconds(bare)) for _ in range(RUNS)]
    return [
        {
            "work": "a scoring program that does nothing, from zips to result",
            "ours_ms": median(mine for mine, _ in pairs),
            "peer": "the bare script",
            "peer_ms": median(theirs for _, theirs in pairs),
            "ratio": median(theirs / mine for mine, theirs in pairs),
            "target": "150 ms more",
        }
    ]


def _milliseconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)
