"""The whole site as one starts it, with the data of a benchmark."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r"Plumbline is at (\S+)")
STOP_SECONDS = 30


class DidNotStart(RuntimeError):
    """The site ended before it said where it is."""


@contextmanager
def site(data: Path) -> Iterator[str]:
    """Broker, workers, sweeper and web server on any free port; gives the address."""
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
        yield _address(process)
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
