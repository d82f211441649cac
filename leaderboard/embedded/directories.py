"""Data directories: served by one process only, closed to everybody else."""

import fcntl
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST_SOCKET_PATH = 100  # the kernels' limits are 107 (Linux) and 103 (macOS) bytes
PLAIN_PATH = re.compile(r"[\w./+-]+", re.ASCII)


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


class NotPrivate(RuntimeError):
    """A directory meant for us alone belongs to, or is open to, others."""


def private_directory(path: Path) -> Path:
    """Make `path` a directory of mode 0700 that is ours, or raise NotPrivate."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise NotPrivate(f"{path} is not a directory of this user; remove it")
    path.chmod(0o700)
    return path


def socket_path(data: Path, name: str) -> Path:
    """The path of the socket `name` of the data directory `data`.

    Below `data`, unless that makes the path longer than a unix socket allows or
    needs quoting in a URL; then in a directory of our own below the system's
    temporary one. The same `data` always gives the same path, so that a worker
    started by hand finds the server. Nothing is created.
    """
    inside = data / "run" / name
    return inside if _fits(inside) else _short_directory(data) / name


def _fits(path: Path) -> bool:
    short = len(os.fsencode(path)) <= LONGEST_SOCKET_PATH
    return short and PLAIN_PATH.fullmatch(str(path)) is not None


def _short_directory(data: Path) -> Path:
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    name = f"plumbline-{os.geteuid()}-{digest}"
    inside = Path(tempfile.gettempdir()) / name
    return inside if _fits(inside / "a-socket") else Path("/tmp") / name
