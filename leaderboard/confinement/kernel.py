"""What the kernel refuses a child: connections, programs, other processes.

A seccomp filter, which needs no rights and cannot be taken off again. The child has
no use for any of it: a file that makes a reader do such a thing is an attack, and it
gets EPERM for an answer.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass

NO_NEW_PRIVILEGES, GET_FILTER, SET_FILTER, FILTER = 38, 21, 22, 2
# Offsets in what a filter is shown: number of the call, machine, first argument.
NUMBER, MACHINE, FIRST = 0, 4, 16
LOAD, EQUAL, AT_LEAST, ANSWER = 0x20, 0x15, 0x35, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
OTHER_ABI = 0x40000000  # x32: the same calls under other numbers


@dataclass(frozen=True, slots=True)
class Calls:
    """Numbers of system calls of one machine (the kernel's own tables)."""

    machine: int
    refused: tuple[int, ...]
    signals: tuple[int, ...]  # allowed to itself only


# In this order: socket, connect, accept, sendto, sendmsg, bind, listen, socketpair,
# accept4; execve, execveat; ptrace, process_vm_readv, process_vm_writev, pidfd_getfd,
# pidfd_send_signal, rt_sigqueueinfo, rt_tgsigqueueinfo; io_uring_setup (it opens
# sockets past any filter), bpf, perf_event_open, userfaultfd, keyctl, unshare, setns,
# mount. Then kill, tkill, tgkill.
TABLES = {
    "x86_64": Calls(
        0xC000003E,
        (41, 42, 43, 44, 46, 49, 50, 53, 288, 59, 322, 101, 310, 311, 438, 424, 129,
         297, 425, 321, 298, 323, 250, 272, 308, 165),
        (62, 200, 234),
    ),
    "aarch64": Calls(
        0xC00000B7,
        (198, 203, 202, 206, 211, 200, 201, 199, 242, 221, 281, 117, 270, 271, 438, 424,
         138, 240, 425, 280, 241, 282, 219, 97, 268, 40),
        (129, 130, 131),
    ),
}  # fmt: skip


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


# Looked up before any fork: a child may not load libraries.
PRCTL = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None
CALLS = TABLES.get(platform.machine())


def can_forbid() -> bool:
    """Whether this kernel takes filters and we know its numbers."""
    known = PRCTL is not None and CALLS is not None
    return known and PRCTL(GET_FILTER, 0, 0, 0, 0) >= 0


def forbid() -> bool:
    """Take from this process what no reader needs, for good; False where impossible."""
    if PRCTL is None or CALLS is None:
        return False
    code = b"".join(_filter(CALLS, os.getpid()))
    program = _Program(len(code) // 8, code)
    if PRCTL(NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    return PRCTL(SET_FILTER, FILTER, ctypes.byref(program), 0, 0) == 0


def _filter(calls: Calls, pid: int) -> Iterator[bytes]:
    """Instructions for the kernel's little machine; jumps count from the next one."""
    yield _word(LOAD, MACHINE)
    yield _word(EQUAL, calls.machine, 1, 0)
    yield _word(ANSWER, KILL)
    yield _word(LOAD, NUMBER)
    yield from _refuse(_word(AT_LEAST, OTHER_ABI, 0, 1))
    for number in calls.refused:
        yield from _refuse(_word(EQUAL, number, 0, 1))
    for number in calls.signals:
        yield _word(EQUAL, number, 0, 4)
        yield _word(LOAD, FIRST)
        yield _word(EQUAL, pid, 1, 0)
        yield _word(ANSWER, REFUSE)
        yield _word(ANSWER, ALLOW)
    yield _word(ANSWER, ALLOW)


def _refuse(test: bytes) -> Iterator[bytes]:
    yield test
    yield _word(ANSWER, REFUSE)


def _word(code: int, value: int, true: int = 0, false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, true, false, value)
