"""The whole site as one starts it, with the data of a benchmark."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r"Plumbline is at (\S+)")
STOP_SECONDS = 30


@dataclass(frozen=True)
class Site:
    """A running site: its address, and the number of the process that started it."""

    address: str
    process: int

    def web_megabytes(self) -> tuple[int, int]:
        """Memory of the larger web process in MiB: now, and at its most."""
        parents = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                parents[int(folder.name)] = _number("PPid", _status(folder.name))
        sizes = [(0, 0)]
        for number, parent in parents.items():
            while parent not in (0, self.process):
                parent = parents.get(parent, 0)
            with suppress(OSError):
                if (
                    parent
                    and b"gunicorn" in Path(f"/proc/{number}/cmdline").read_bytes()
                ):
                    status = _status(number)
                    kilobytes = _number("VmRSS", status), _number("VmHWM", status)
                    sizes.append((kilobytes[0] >> 10, kilobytes[1] >> 10))
        now, most = zip(*sizes, strict=True)
        return max(now), max(most)


def _status(process: str | int) -> str:
    return Path(f"/proc/{process}/status").read_text()


def _number(name: str, status: str) -> int:
    found = re.search(rf"{name}:\s*(\d+)", status)
    return int(found[1]) if found else 0


class DidNotStart(RuntimeError):
    """The site ended before it said where it is."""


@contextmanager
def site(data: Path) -> Iterator[Site]:
    """Broker, workers, sweeper and web server on any free port."""
    env = os.environ | {"PLUMBLINE_DATA": str(data), "PLUMBLINE_PORT": "0"}
    env.pop("REDIS_URL", None)
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve"],
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
        if found := ADDRESS.search(line):
            return found[1]
    raise DidNotStart("".join(said))
