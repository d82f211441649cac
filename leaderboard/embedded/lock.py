"""One server per data directory."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class AlreadyRunning(RuntimeError):
    """Another process serves this data directory."""


@contextmanager
def sole_server(data: Path) -> Iterator[None]:
    """Hold `data` for this process, or raise AlreadyRunning.

    The kernel lets go of the lock when we end, however we end; the file stays,
    for removing it would let two processes lock two files of one name.
    """
    path = data / "serve.lock"
    with path.open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning(_who(path, data)) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _who(path: Path, data: Path) -> str:
    process = path.read_text(encoding="ascii").strip() or "unknown"
    return (
        f"Plumbline already serves {data} (process {process}). "
        "Stop it first, or set PLUMBLINE_DATA to another directory."
    )
