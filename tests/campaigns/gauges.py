"""Gauges of a running site: memory, open files, processor time, rows."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import psutil
from django.apps import apps
from django.db import connection

# By an argument as it stands: any of these may be part of the path of a program.
# What a worker forks has its arguments too, lanes and their keeper among it.
ROLES = {"gunicorn": "web", "leaderboard.sandbox.server": "check", "work": "worker"}


@dataclass(frozen=True)
class Sample:
    """The site at a quiet moment, after `done` scorings. By process: name and id.

    Memory in bytes, processor time in seconds with that of ended children, `temporary`
    in bytes, `stored` is the size of the database in bytes, `fixed_work` is what
    `time_of_fixed_work` returned while the site was at work before it.
    """

    done: int
    memory: Mapping[str, int]
    files: Mapping[str, int]
    seconds: Mapping[str, float]
    temporary: int
    stored: int
    fixed_work: float


def time_of_fixed_work() -> float:
    """The processor time, in seconds, that the same work takes this machine now."""
    began = time.thread_time()
    sorted(str(number) for number in range(100_000))
    return time.thread_time() - began


def sample(done: int, temporary: Path, fixed_work: float) -> Sample:
    memory, files, seconds = {}, {}, {}
    for name, process in sorted(processes()):
        with process.oneshot():
            memory[name] = process.memory_info().rss
            files[name] = process.num_fds()
            seconds[name] = sum(process.cpu_times()[:4])
    sizes = size_below(temporary), stored_bytes()
    return Sample(done, memory, files, seconds, *sizes, fixed_work)


def processes() -> Iterator[tuple[str, psutil.Process]]:
    """Processes of a site that this one has started, and that outlive a submission."""
    for process in psutil.Process().children(recursive=True):
        words: list[str] = []
        with suppress(psutil.NoSuchProcess):  # what has ended meanwhile, or is a zombie
            words = process.cmdline()
        role = next((ROLES[word] for word in words if word in ROLES), None)
        if role and not (role == "worker" and _is_fork(process, words)):
            yield f"{role} {process.pid}", process


def _is_fork(process: psutil.Process, words: list[str]) -> bool:
    with suppress(psutil.NoSuchProcess):
        parent = process.parent()
        return parent is not None and parent.cmdline() == words
    return True


def size_below(place: Path) -> int:
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())


def stored_bytes() -> int:
    asked = {
        "sqlite": "SELECT page_count * page_size FROM pragma_page_count, "
        "pragma_page_size",
        "postgresql": "SELECT pg_database_size(current_database())",
    }
    with connection.cursor() as cursor:
        cursor.execute(asked[connection.vendor])
        return int(cursor.fetchone()[0])


def rows() -> Counter[str]:
    """How many rows each table of the site has."""
    return Counter({m._meta.label: m._base_manager.count() for m in apps.get_models()})


def parts(samples: list[Sample]) -> tuple[list[Sample], list[Sample]]:
    """The first and the last tenth."""
    tenth = max(2, len(samples) // 10)
    return samples[:tenth], samples[-tenth:]


def drift(samples: list[Sample]) -> dict[str, float]:
    """By process, its memory in the last tenth as a multiple of that in the first."""
    first, last = map(_memory, parts(samples))
    return {name: last[name] / first[name] for name in first}


def growth(samples: list[Sample]) -> dict[str, float]:
    """By process, the bytes by which the last tenth has more than the first."""
    first, last = map(_memory, parts(samples))
    return {name: last[name] - first[name] for name in first}


def _memory(samples: list[Sample]) -> dict[str, float]:
    names = samples[0].memory
    return {name: fmean(s.memory[name] for s in samples) for name in names}


def cost(samples: list[Sample], role: str) -> float:
    """Processor time of a role, in seconds for each scoring of these samples."""
    first, last = samples[0], samples[-1]
    spent = sum(
        last.seconds[name] - first.seconds[name]
        for name in first.seconds
        if name.startswith(role)
    )
    return spent / (last.done - first.done)


def slowness(samples: list[Sample]) -> float:
    """How many times as long the machine took in the last tenth for the same work."""
    first, last = (fmean(s.fixed_work for s in part) for part in parts(samples))
    return last / first
