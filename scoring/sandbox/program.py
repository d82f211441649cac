"""A stranger's program, run as a fresh process that the kernel holds.

It reads what is named, writes in one folder, says something, and ends; what is in the
folder afterwards is its result. It starts no process and no thread beside itself, and
nothing it has written can be renamed or deleted: so what is in the folder is all that
it holds of the disk, and is counted while it runs.
"""

import glob
import os
import sys
import sysconfig
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from scoring.sandbox import kernel, landlock
from scoring.sandbox.fork import (
    AnswerTooLong,
    LimitExceeded,
    Limits,
    Supervision,
    TimedOut,
    run_child,
)
from scoring.sandbox.kernel import Restrictions

# What starts a program that is linked to libraries; the kernel runs it as a program.
LOADERS = ("/lib*/ld-linux-*.so.*", "/lib/ld-musl-*.so.*")
LOOK_SECONDS = 0.1
# How much it may write in all, in times of what its folder may hold.
TIMES_WRITTEN = 4
MOST_DEPTH = 32  # folders inside each other
# Values of PLUMBLINE_PROGRAMS that let programs run: of some organizers, or of all.
GRANTED, EVERYONE = "granted", "everyone"
UNWATCHED = Supervision()
LANDLOCK_NEEDED = 3  # the first that keeps files from being truncated


class SandboxIncomplete(Exception):
    """This kernel lacks a part of the sandbox, and without it no program is run."""


@dataclass(frozen=True, slots=True)
class Program:
    """A command (its first word a path), what it may read, and its own folder.

    It begins in `start`, by default in its folder; `environment` is added to what it is
    told. `watch` is asked as well while it runs. `at_home` it goes without what the
    kernel lacks.

    It may take the memory of `limits`, or as much as the process that starts it has,
    if that is more. Output beyond `limits.answer_bytes` ends it; `file_bytes` of
    `limits` is not read.
    """

    command: tuple[str, ...]
    folder: Path
    limits: Limits
    read: tuple[Path, ...] = ()
    folder_bytes: int = 64 << 20
    most_files: int = 1000
    start: Path | None = None
    environment: tuple[tuple[str, str], ...] = ()
    watch: Supervision = UNWATCHED
    at_home: bool = False


@dataclass(frozen=True, slots=True)
class ProgramExit:
    """The end of a program by itself: its exit code, and output and errors as they
    came; the most memory that it was seen to have, 0 where it ended before the first
    look."""

    code: int
    output: bytes
    peak_bytes: int = 0


def python(script: Path, *words: str) -> tuple[str, ...]:
    """The command that runs a script with this Python and its libraries."""
    return (sys.executable, "-I", "-B", str(script), *words)


def lacks() -> str:
    """Parts of the sandbox that this kernel lacks for programs; empty for none."""
    older = landlock.version() < LANDLOCK_NEEDED
    return ", ".join(kernel.missing()) or "Landlock 3" * older


def run(program: Program) -> ProgramExit:
    """Run a program to its end. Raises LimitExceeded, JobFailed, SandboxIncomplete.

    It forks, so whoever calls it is a worker or a sandbox server, and no web process.
    LimitExceeded says "cpu", "wall", "output", "folder", "files" or "written": the
    limits that show from outside. A program that gets no more memory, or finds its
    file too large, is told so and ends as it likes; one that then fails met "folder".
    """
    if not program.at_home and (lost := lacks()):
        raise SandboxIncomplete(f"programs are not run on this kernel: it lacks {lost}")
    limits = replace(program.limits, file_bytes=program.folder_bytes)
    look = _Look(program)
    watch = Supervision(look, LOOK_SECONDS, look.begins)
    begin = partial(_begin, program)
    try:
        code, output = run_child(begin, limits, watch, _restrictions(program))
    except TimedOut as late:
        raise limit_exceeded("wall", program, late.output) from None
    except AnswerTooLong as long:
        raise limit_exceeded("output", program, long.output) from None
    try:
        within(program)
    except LimitExceeded as limit:
        limit.output = output
        raise
    if code and _has_full_file(program):
        raise limit_exceeded("folder", program, output)
    return ProgramExit(code, output, look.peak_bytes)


def limit_exceeded(what: str, program: Program, output: bytes) -> LimitExceeded:
    """The limit that a program met, with what it had said."""
    limit = LimitExceeded(what, program.limits)
    limit.output = output
    return limit


class _Look:
    """A look at the folder, and at what was written in all, each time; now and then at
    whether it is still wanted."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.io = self.status = Path(os.devnull)
        self.peak_bytes = 0
        self.ask_at = time.monotonic() + program.watch.every

    def begins(self, pid: int) -> None:
        self.io, self.status = Path(f"/proc/{pid}/io"), Path(f"/proc/{pid}/status")

    def __call__(self) -> bool:
        self.peak_bytes = max(self.peak_bytes, _peak(self.status))
        within(self.program)
        if _written(self.io) > TIMES_WRITTEN * self.program.folder_bytes:
            raise LimitExceeded("written", self.program.limits)
        if time.monotonic() < self.ask_at:
            return True
        self.ask_at = time.monotonic() + self.program.watch.every
        return self.program.watch.still_wanted()


def _restrictions(program: Program) -> Restrictions:
    prefixes = {os.path.realpath(p) for p in (sys.prefix, sys.base_prefix)}
    python = [f"{prefix}/pyvenv.cfg" for prefix in prefixes]
    python += filter(None, [sysconfig.get_config_var("LIBDIR")])
    start = (program.command[0], *(p for loader in LOADERS for p in glob.glob(loader)))
    return Restrictions(
        read=(*python, *map(str, program.read)),
        write=str(program.folder),
        programs=tuple(start),
    )


def _begin(program: Program) -> bytes:
    """Become the program; what it is told is made up here, not inherited."""
    folder = str(program.folder)
    os.chdir(program.start or folder)
    environment = {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "HOME": folder,
        "TMPDIR": folder,
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        **dict(program.environment),
    }
    os.execve(program.command[0], program.command, environment)


def within(program: Program) -> bool:
    """Whether the folder is within its limits; raises LimitExceeded if not.

    Folders are opened from their parents, so that no path is too long to be followed.
    What cannot be looked into counts as over the limit.
    """
    used = files = 0
    above = len(program.folder.parts)
    try:
        for place, folders, names, at in os.fwalk(program.folder, onerror=_hidden):
            files += len(folders) + len(names)
            used += sum(_bytes_on_disk(name, at) for name in names)
            if files > program.most_files:
                raise LimitExceeded("files", program.limits)
            if place.count("/") - above >= MOST_DEPTH:
                raise LimitExceeded("depth", program.limits)
    except OSError:
        raise LimitExceeded("hidden", program.limits) from None
    if used > program.folder_bytes:
        raise LimitExceeded("folder", program.limits)
    return True


def _has_full_file(program: Program) -> bool:
    """Whether a file has as many bytes as any may have: the rest was not written."""
    sizes = (
        os.stat(name, dir_fd=at, follow_symlinks=False).st_size
        for _place, _folders, names, at in os.fwalk(program.folder)
        for name in names
    )
    return any(size >= program.folder_bytes for size in sizes)


def _written(io: Path) -> int:
    """Bytes that a process has written: those it handed over, or those of the pages
    that went to the disk for it, if that is more, as where it waits for each byte.

    0 where they cannot be read: of a fork that is not the program yet, which cannot
    hide them later, or on a kernel that does not count.
    """
    try:
        lines = io.read_bytes().splitlines()  # no codec: this account may find none
    except OSError:
        return 0
    counts = dict(line.split(b": ") for line in lines)
    return max(int(counts.get(name, 0)) for name in (b"wchar", b"write_bytes"))


def _peak(status: Path) -> int:
    """The most memory that a process has had, in bytes; 0 where it cannot be read."""
    try:
        lines = status.read_bytes().splitlines()
    except OSError:
        return 0
    sizes = (line.split()[1] for line in lines if line.startswith(b"VmHWM:"))
    return int(next(sizes, 0)) << 10


def _hidden(error: OSError) -> None:
    raise error


def _bytes_on_disk(name: str, folder: int) -> int:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    return min(status.st_size, status.st_blocks * 512)  # a file may have holes
