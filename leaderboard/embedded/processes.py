"""Child processes: own group, own log, and gone once their parent is gone."""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from scoring.sandbox.fork import end_with_parent

Process = subprocess.Popen[bytes]


def spawn(
    argv: Sequence[str],
    log: Path,
    *,
    env: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
    **options: Any,
) -> Process:
    """Start `argv` in a session of its own, its output appended to `log`.

    A session, not only a group: Ctrl-C in the terminal then reaches the parent
    alone, and the parent decides the order in which its children stop.
    """
    with log.open("ab") as output:
        return subprocess.Popen(
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=pass_fds,
            preexec_fn=dies_with_parent(),
            **options,
        )


def dies_with_parent() -> Callable[[], None]:
    """A function for a new child, so that it ends with us even after `kill -9`."""
    return partial(end_with_parent, os.getpid(), signal.SIGTERM)


def stop(process: Process, grace: float) -> bool:
    """Ask `process` to end, and end its whole group after `grace` seconds.

    True if it ended on its own.
    """
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        process.wait(grace)
        return True
    except subprocess.TimeoutExpired:
        return False
    finally:
        kill_group(process)
        process.wait()


def kill_group(process: Process) -> None:
    """End whatever is left in the group that `process` leads."""
    # macOS answers EPERM for a group of which only zombies are left.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
