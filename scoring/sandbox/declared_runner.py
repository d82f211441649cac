"""A command that an operator declares to run teams' code in place of the sandbox.

It is told folders and limits by its environment, and by its arguments what Python is
to run; how the code ended it writes to a file that the code cannot reach. Exit codes
say nothing of the code, which could choose them: whatever the command itself does
wrong is a fault of the site.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from scoring.sandbox.fork import PIECE, Abandoned, JobFailed, end_with_parent
from scoring.sandbox.program import (
    LOOK_SECONDS,
    Program,
    ProgramExit,
    limit_exceeded,
    within,
)

RESULT = "result"
# Limits that the command holds, as it may name them in its result.
HELD_LIMITS = ("cpu", "memory", "wall")
STARTING_SECONDS = 30.0  # that it may take beside the code
ENDING_SECONDS = 10.0  # to tidy up after SIGTERM
OUT_OF_TIME = 128 + signal.SIGXCPU  # as shells tell of a signal
# What it is told of the site: no secret.
KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "XDG_RUNTIME_DIR")


class RunnerFailed(JobFailed):
    """The command failed, which is no fault of the code."""


def run(words: Sequence[str], program: Program, root: Path) -> ProgramExit:
    """Let the command `words` run a program that lies below `root`.

    Raises LimitExceeded, Abandoned and RunnerFailed.
    """
    command = [*words, *program.command[1:]]
    try:
        process = subprocess.Popen(
            command,
            cwd=root,
            env=_environment(program, root),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            process_group=0,  # a session of its own would not give way as ours does
            preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),
        )
    except OSError as error:
        raise RunnerFailed(
            f"the code runner cannot be started: {error.strerror}"
        ) from None
    try:
        output = _output(process, program)
    finally:
        _end(process)
    within(program)
    if process.returncode:
        raise RunnerFailed(f"the code runner ended with exit code {process.returncode}")
    return _result(root / RESULT, program, output)


def _environment(program: Program, root: Path) -> dict[str, str]:
    limits = program.limits
    values = {
        "RUN_FOLDER": root,
        "RUN_OUTPUT": program.folder,
        "RUN_RESULT": root / RESULT,
        "RUN_START": program.start or program.folder,
        "RUN_CPU_SECONDS": limits.cpu_seconds,
        "RUN_WALL_SECONDS": limits.wall_seconds,
        "RUN_MEMORY_BYTES": limits.memory_bytes,
        "RUN_DISK_BYTES": program.folder_bytes,
    }
    inherited = {name: os.environ[name] for name in KEPT if name in os.environ}
    settings = {name: f"{value}" for name, value in values.items()}
    return inherited | settings | dict(program.environment)


def _output(process: "subprocess.Popen[bytes]", program: Program) -> bytes:
    """The output of the process until it ended."""
    assert process.stdout is not None
    received, pipe = bytearray(), select.poll()
    pipe.register(process.stdout, select.POLLIN)
    now = time.monotonic()
    deadline = now + program.limits.wall_seconds + STARTING_SECONDS
    look_at, ask_at = now, now + program.watch.every
    closed = False
    while now < deadline:
        ended = process.poll() is not None
        if not closed and pipe.poll(LOOK_SECONDS * 1000):
            piece = os.read(process.stdout.fileno(), PIECE)
            received += piece
            closed = not piece
        elif ended:
            return bytes(received)
        elif closed:  # it closed its output and goes on
            with suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_SECONDS)
        if len(received) > program.limits.answer_bytes:
            raise limit_exceeded("output", program, bytes(received))
        now = time.monotonic()
        if now >= look_at:
            within(program)
            look_at = now + LOOK_SECONDS
        if now >= ask_at:
            if not program.watch.still_wanted():
                raise Abandoned
            ask_at = now + program.watch.every
    raise RunnerFailed("the code runner did not end the code in time")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End it and what it started, after a moment to tidy up."""
    for number, seconds in ((signal.SIGTERM, ENDING_SECONDS), (signal.SIGKILL, None)):
        if process.poll() is None or number == signal.SIGKILL:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
    assert process.stdout is not None
    process.stdout.close()


def _result(place: Path, program: Program, output: bytes) -> ProgramExit:
    """How the code ended, as the command wrote it: an exit code, or a limit."""
    try:
        status = place.read_bytes()[:100].decode("ascii", "replace").strip()
    except OSError:
        status = ""
    if status in HELD_LIMITS:
        raise limit_exceeded(status, program, output)
    if not (status.isdecimal() and status.isascii()):
        raise RunnerFailed("the code runner did not say how the code ended")
    if int(status) == OUT_OF_TIME:
        raise limit_exceeded("cpu", program, output)
    return ProgramExit(int(status), output)
