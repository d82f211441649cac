"""The whole site as one starts it, with the data of a benchmark."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r"Plumbline is at (\S+)")
STOP_SECONDS = 30
WEB, WORKERS = "gunicorn", "celery"


@dataclass(frozen=True)
class Site:
    """A running site: its address, and the number of the process that started it."""

    address: str
    process: int

    def web_memory(self) -> "Memory":
        """Each number is that of the web process in which it is largest."""
        sizes = [Memory(0, 0, 0), *map(Memory.of, self._running(WEB))]
        return Memory(*map(max, zip(*map(astuple, sizes), strict=True)))

    def seconds(self, program: str = WEB) -> float:
        """Processor time until now of all processes of that program, and of those of
        their children that ended."""
        ticks = 0
        for number in self._running(program):
            fields = _read(number, "stat").rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))  # of itself and of the kernel
        return ticks / os.sysconf("SC_CLK_TCK")

    def _running(self, program: str) -> Iterator[int]:
        """The numbers of the site's processes with that word in their command."""
        parents = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                parents[int(folder.name)] = _number("PPid", _read(folder.name))
        for number, parent in parents.items():
            while parent not in (0, self.process):
                parent = parents.get(parent, 0)
            with suppress(OSError):
                if parent and program in _read(number, "cmdline"):
                    yield int(number)


@dataclass(frozen=True)
class Memory:
    """MiB of a process: its own with its share of what it has in common with others
    (PSS), all that it has (RSS), and the most that it ever had."""

    share: int
    now: int
    most: int

    @classmethod
    def of(cls, process: int) -> "Memory":
        """Its share is 0 where the process is closed to whoever asks."""
        status, sums = _read(process), ""
        with suppress(PermissionError):
            sums = _read(process, "smaps_rollup")
        kilobytes_of = (
            _number("Pss", sums),
            _number("VmRSS", status),
            _number("VmHWM", status),
        )
        return cls(*(kilobytes >> 10 for kilobytes in kilobytes_of))


def _read(process: str | int, name: str = "status") -> str:
    return Path(f"/proc/{process}/{name}").read_text()


def _number(name: str, status: str) -> int:
    match = re.search(rf"{name}:\s*(\d+)", status)
    return int(match[1]) if match else 0


class DidNotStart(RuntimeError):
    """The site ended before it said where it is."""


@contextmanager
def site(data: Path, *options: str) -> Iterator[Site]:
    """Broker, workers, sweeper and web server on any free port, by `serve`."""
    env = os.environ | {"PLUMBLINE_DATA": str(data), "PLUMBLINE_PORT": "0"}
    env.pop("REDIS_URL", None)
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", *options],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield Site(_address(process), process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(STOP_SECONDS)


def _address(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if match := ADDRESS.search(line):
            return match[1]
    raise DidNotStart("".join(said))
