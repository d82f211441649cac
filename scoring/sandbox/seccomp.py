"""A filter of system calls: those listed here are allowed, every other gets EPERM.

It needs no rights, cannot be taken off again, and holds for whatever the process
starts. The kernel shows a filter numbers, not what they point to: paths are the
business of Landlock, flags are looked at here.
"""

import ctypes
import errno
import os
import platform
import signal
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

GET_FILTER, SET_FILTER, FILTER = 21, 22, 2
# Offsets in what a filter is shown: number of the call, machine, first argument.
NUMBER, MACHINE, FIRST, WORD = 0, 4, 16, 4
LOAD, AND, EQUAL, AT_LEAST, ANSWER = 0x20, 0x54, 0x15, 0x35, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
OTHER_ABI = 0x40000000  # x32: the same calls under other numbers
ALL = 0xFFFFFFFF

# Kernel's numbers on x86_64 and on aarch64, None where the machine lacks the call.
Numbers = Mapping[str, tuple[int | None, int | None]]
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

# Reading, memory, time, and leaving: what work on files that are at hand consists of.
PLAIN: Numbers = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "pread64": (17, 67),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "stat": (4, None),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "futex": (202, 98),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "pause": (34, None),
    "poll": (7, None),
    "ppoll": (271, 73),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "getrandom": (318, 278),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "times": (100, 153),
    "rseq": (334, 293),
    "exit": (60, 93),
    "exit_group": (231, 94),
}

# What a fresh program needs beside it: to begin, and to work in a folder of its own,
# where Landlock lets it.
OF_PROGRAMS: Numbers = {
    "execve": (59, 221),
    "arch_prctl": (158, None),
    "set_tid_address": (218, 96),
    "set_robust_list": (273, 99),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "chdir": (80, 49),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "readv": (19, 65),
    "writev": (20, 66),
    "pwrite64": (18, 68),
    "ftruncate": (77, 46),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "flock": (73, 32),
    "select": (23, None),
    "pselect6": (270, 72),
    "fadvise64": (221, 223),
    "copy_file_range": (326, 285),
    "sendfile": (40, 71),
}

# Answered as a kernel does that has no such call, so that libc takes another way.
MISSING: Numbers = {"clone3": (435, 435), "openat2": (437, 437)}


@dataclass(frozen=True, slots=True)
class ArgumentCondition:
    """One of `values` must be what is left of an argument under `mask`."""

    argument: int
    values: tuple[int, ...]
    mask: int = ALL
    upper: bool = False  # the upper half of its 64 bits


WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
WRITING |= getattr(os, "O_TMPFILE", 0) & ~getattr(os, "O_DIRECTORY", 0)
NULL = (0,)
OPENAT = {"openat": (257, 56)}
# Numbers with what must be true of the arguments.
CONDITIONAL: Sequence[tuple[Numbers, tuple[ArgumentCondition, ...]]] = (
    # Nothing that another process or a file would see: no MAP_SHARED.
    ({"mmap": (9, 222)}, (ArgumentCondition(3, NULL, mask=1),)),
    # Copies of descriptors and their flags; no signals to owners, leases, seals.
    ({"fcntl": (72, 25)}, (ArgumentCondition(1, (0, 1, 2, 3, 1030)),)),
    # Whether a program that is started has a descriptor, and whether one is a terminal.
    ({"ioctl": (16, 29)}, (ArgumentCondition(1, (0x5450, 0x5451, 0x5401)),)),
    # Limits of itself, to read them.
    (
        {"prlimit64": (302, 261)},
        (
            ArgumentCondition(0, NULL),
            ArgumentCondition(2, NULL),
            ArgumentCondition(2, NULL, upper=True),
        ),
    ),
)
READ_ONLY = (OPENAT, (ArgumentCondition(2, NULL, mask=WRITING),))
# A program writes files that have a name and makes folders that their owner may list,
# because those are counted; none that gives away its account (setuid).
NAMELESS = getattr(os, "O_TMPFILE", 0) & ~getattr(os, "O_DIRECTORY", 0)
SPECIAL_MODES, OWNER_RIGHTS = 0o7000, (0o700,)
FOLDER_MODES = SPECIAL_MODES | 0o700
WRITING_OF_PROGRAMS: Sequence[tuple[Numbers, tuple[ArgumentCondition, ...]]] = (
    (
        OPENAT,
        (
            ArgumentCondition(2, NULL, mask=NAMELESS),
            ArgumentCondition(3, NULL, mask=SPECIAL_MODES),
        ),
    ),
    ({"mkdir": (83, None)}, (ArgumentCondition(1, OWNER_RIGHTS, mask=FOLDER_MODES),)),
    ({"mkdirat": (258, 34)}, (ArgumentCondition(2, OWNER_RIGHTS, mask=FOLDER_MODES),)),
    ({"umask": (95, 166)}, (ArgumentCondition(0, NULL, mask=0o700),)),
)
# Each call with the number of the argument that is the signal. SIGKILL is left to the
# outside: who sees that a process was ended by it knows that it did not do so itself.
SIGNALS: Sequence[tuple[Numbers, int]] = (
    ({"kill": (62, 129)}, 1),
    ({"tkill": (200, 130)}, 1),
    ({"tgkill": (234, 131)}, 2),
)
ALLOWED_SIGNALS = tuple(number for number in range(65) if number != signal.SIGKILL)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


# Looked up before any fork: a child may not load libraries.
PRCTL = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


@cache
def available() -> bool:
    """Whether this kernel takes filters and we know its numbers."""
    if PRCTL is None or platform.machine() not in MACHINES:
        return False
    return bool(PRCTL(GET_FILTER, 0, 0, 0, 0) >= 0)


def prepare(programs: bool = False) -> None:
    """Compute the instructions, which are the same for every process."""
    _head(platform.machine(), programs)


def restrict(programs: bool = False) -> None:
    """Take every call that is not listed from this process, for good.

    With `programs` it may start those, and write, that Landlock leaves to it. Needs
    no_new_privs. Raises OSError.
    """
    assert PRCTL is not None
    code = b"".join((_head(platform.machine(), programs), _tail(os.getpid())))
    program = _Program(len(code) // 8, code)
    if PRCTL(SET_FILTER, FILTER, ctypes.byref(program), 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


@cache
def _head(machine: str, programs: bool) -> bytes:
    """Instructions for the kernel's little machine; jumps count from the next one."""
    column, architecture = MACHINES[machine]
    lines = [
        _line(LOAD, MACHINE),
        _line(EQUAL, architecture, 1, 0),
        _line(ANSWER, KILL),
        _line(LOAD, NUMBER),
        _line(AT_LEAST, OTHER_ABI, 0, 1),
        _line(ANSWER, KILL),
    ]
    plain = {**PLAIN, **(OF_PROGRAMS if programs else {})}
    for number in _of(column, plain):
        lines += [_line(EQUAL, number, 0, 1), _line(ANSWER, ALLOW)]
    for number in _of(column, MISSING):
        refusal = _line(ANSWER, REFUSE | errno.ENOSYS)
        lines += [_line(EQUAL, number, 0, 1), refusal]
    writing = WRITING_OF_PROGRAMS if programs else (READ_ONLY,)
    for numbers, conditions in (*CONDITIONAL, *writing):
        for number in _of(column, numbers):
            lines += _rule(number, conditions)
    return b"".join(lines)


def _tail(pid: int) -> bytes:
    """Signals, allowed to itself only and without SIGKILL, and the end."""
    column, _ = MACHINES[platform.machine()]
    lines: list[bytes] = []
    for numbers, argument in SIGNALS:
        allowed = (
            ArgumentCondition(0, (pid,)),
            ArgumentCondition(argument, ALLOWED_SIGNALS),
        )
        for number in _of(column, numbers):
            lines += _rule(number, allowed)
    return b"".join((*lines, _line(ANSWER, REFUSE | errno.EPERM)))


def _of(column: int, numbers: Numbers) -> Iterable[int]:
    return [row[column] for row in numbers.values() if row[column] is not None]  # type: ignore[misc]


def _rule(number: int, conditions: Sequence[ArgumentCondition]) -> Iterator[bytes]:
    """Allowed if every condition holds, else refused."""
    body = [line for condition in conditions for line in _instructions(condition)]
    yield _line(EQUAL, number, 0, len(body) + 1)
    yield from body
    yield _line(ANSWER, ALLOW)


def _instructions(condition: ArgumentCondition) -> Iterator[bytes]:
    place = FIRST + 8 * condition.argument + (WORD if condition.upper else 0)
    yield _line(LOAD, place)
    if condition.mask != ALL:
        yield _line(AND, condition.mask)
    left = len(condition.values)
    for value in condition.values:
        yield _line(EQUAL, value, left, 0)  # past the others and the refusal
        left -= 1
    yield _line(ANSWER, REFUSE | errno.EPERM)


def _line(code: int, value: int, true: int = 0, false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, true, false, value)
