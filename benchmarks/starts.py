"""Starts: of the command line to its answer, of the site to its first page.

Time on the clock, since the work is done by other processes.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks._treebanks import WORDS, pair

RUNS = 21
SITE_RUNS = 3
ROOT = Path(__file__).parents[1]
# As at home, where modules are compiled once.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def rows() -> list[dict[str, Any]]:
    """Paired timings, ours and a peer in turn: what anything of its kind imports."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        return [*_of_command_line(place), *_of_site(place), _of_clone(place)]


def _of_command_line(folder: Path) -> Iterator[dict[str, Any]]:
    files = [str(folder / name) for name in ("gold.conllu", "mine.conllu")]
    for file, data in zip(files, pair(), strict=True):
        Path(file).write_bytes(data)
    score = ["-m", "scoring", "score", "attachment", "--gold", files[0]]
    bare = ["-c", "import numpy"]
    for resamples, target in ((0, "150 ms"), (1000, "")):
        words = [*score, "--system", files[1], "--resamples", str(resamples)]
        _run(words), _run(bare)
        pairs = [(_timed(_run, words), _timed(_run, bare)) for _ in range(RUNS)]
        work = f"python -m scoring, {WORDS:,} words, {resamples} resamples"
        yield _row(work, "import numpy", pairs, target)


def _of_site(folder: Path) -> Iterator[dict[str, Any]]:
    """The first page of a demo, without what `make demo` installs before."""
    bare, peer = ["manage.py", "check"], "manage.py check"
    _run(bare)
    first = [(_first_page(folder / "data"), _timed(_run, bare))]
    yield _row("serve --demo, an empty folder, to the first page", peer, first, "")
    more = [
        (_first_page(folder / "data"), _timed(_run, bare)) for _ in range(SITE_RUNS)
    ]
    yield _row("serve --demo, once more, to the first page", peer, more, "3,000 ms")


def _of_clone(folder: Path) -> dict[str, Any]:
    """The second of two, for which all packages are at hand."""
    for name in ("first", "second"):
        clone = ["git", "clone", "--quiet", str(ROOT), name]
        subprocess.run(clone, cwd=folder, check=True)
        took = _to_page(["make", "demo"], folder / name, {"PLUMBLINE_PORT": "0"})
    pair = took, _timed(_run, ["manage.py", "check"])
    work = "make demo in a clone, packages at hand, to the first page"
    return _row(work, "manage.py check", [pair], "")


def _row(
    work: str, peer: str, pairs: list[tuple[float, float]], target: str
) -> dict[str, Any]:
    return {
        "work": work,
        "ours_ms": median(mine for mine, _ in pairs),
        "peer": peer,
        "peer_ms": median(theirs for _, theirs in pairs),
        "ratio": median(theirs / mine for mine, theirs in pairs),
        "target": target,
    }


def _timed(work: Callable[[list[str]], None], words: list[str]) -> float:
    began = time.perf_counter()
    work(words)
    return 1000 * (time.perf_counter() - began)


def _run(words: list[str]) -> None:
    subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )


def _first_page(data: Path) -> float:
    place = {"PLUMBLINE_DATA": str(data), "PLUMBLINE_PORT": "0"}
    return _to_page([sys.executable, "manage.py", "serve", "--demo"], ROOT, place)


def _to_page(command: list[str], folder: Path, place: dict[str, str]) -> float:
    """Milliseconds until a site that starts says that its web server answers."""
    began = time.perf_counter()
    with subprocess.Popen(
        command,
        cwd=folder,
        env=ENVIRONMENT | place,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as site:
        assert site.stdout is not None
        answered = any(line.split() == ["web", "answers"] for line in site.stdout)
        took = 1000 * (time.perf_counter() - began)
        os.killpg(site.pid, signal.SIGINT)
        site.stdout.read()
    if not answered:
        raise RuntimeError("the site did not start")
    return took
