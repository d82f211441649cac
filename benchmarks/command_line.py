"""The command line from its start to its answer, against Python importing numpy.

Time on the clock, since the work is done by other processes.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks._treebanks import WORDS, pair

RUNS = 21
ROOT = Path(__file__).parents[1]
# As at home, where modules are compiled once.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def rows() -> list[dict[str, Any]]:
    """Paired timings, ours and the peer in turn."""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder, name)) for name in ("gold.conllu", "mine.conllu")]
        for file, data in zip(files, pair(), strict=True):
            Path(file).write_bytes(data)
        score = ["-m", "scoring", "score", "attachment", "--gold", files[0]]
        ours = [*score, "--system", files[1]]
        asked = {"no resamples": ["--resamples", "0"], "1000 resamples": []}
        return [
            _row(f"python -m scoring, {WORDS:,} words, {what}", [*ours, *more], target)
            for (what, more), target in zip(asked.items(), ("150 ms", ""), strict=True)
        ]


def _row(work: str, words: list[str], target: str) -> dict[str, Any]:
    bare = ["-c", "import numpy"]
    _milliseconds(words), _milliseconds(bare)
    pairs = [(_milliseconds(words), _milliseconds(bare)) for _ in range(RUNS)]
    return {
        "work": work,
        "ours_ms": median(mine for mine, _ in pairs),
        "peer": "import numpy",
        "peer_ms": median(theirs for _, theirs in pairs),
        "ratio": median(theirs / mine for mine, theirs in pairs),
        "target": target,
    }


def _milliseconds(words: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return 1000 * (time.perf_counter() - began)
