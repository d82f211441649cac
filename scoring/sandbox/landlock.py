"""Landlock: the kernel's own list of the files a process may touch.

Three system calls, called directly: neither libc nor the standard library has them. A
process takes rights from itself and from all that it starts, needs no privilege for it
and cannot take it back. Each version (ABI) of the kernel's interface knows more rights
than the one before; those it does not know are left to the filter of system calls.
"""

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable, Mapping
from functools import cache

# The same numbers on every machine: they are younger than the common table.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION, PATH_BENEATH = 1, 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
# How many rights to files a version has: REFER, TRUNCATE and IOCTL_DEV came later.
FILE_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
NETWORK_SINCE, NETWORK = 4, 0b11  # TCP: bind, connect
SCOPES_SINCE, SCOPES = 6, 0b11  # abstract Unix sockets, signals
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV

READ = READ_FILE | READ_DIR
RUN = READ_FILE | EXECUTE
WRITE = WRITE_FILE | TRUNCATE | MAKE_REG | MAKE_DIR

# Looked up before any fork: a child may not load libraries.
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


@cache
def version() -> int:
    """The version of the interface in this kernel, 0 where it has none."""
    if _LIBC is None:
        return 0
    return max(0, int(_LIBC.syscall(CREATE_RULESET, None, 0, ASK_VERSION)))


def restrict(rights: Mapping[str, int], abi: int) -> None:
    """Leave this process `rights` by path, to whatever lies beneath, and no others.

    Paths that do not exist are passed over. Needs no_new_privs. Raises OSError.
    """
    handled = (1 << FILE_BITS.get(abi, FILE_BITS[max(FILE_BITS)])) - 1
    ruleset = _call(CREATE_RULESET, *_attributes(handled, abi), 0)
    try:
        for path, allowed in rights.items():
            _allow(ruleset, path, allowed & handled)
        _call(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _attributes(handled: int, abi: int) -> tuple[bytes, int]:
    """Rights that the ruleset decides on, in as many words as this version reads."""
    words = [handled]
    if abi >= NETWORK_SINCE:
        words.append(NETWORK)
    if abi >= SCOPES_SINCE:
        words.append(SCOPES)
    data = struct.pack(f"={len(words)}Q", *words)
    return data, len(data)


def _allow(ruleset: int, path: str, allowed: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            allowed &= OF_FILES
        rule = struct.pack("=Qi", allowed, place)
        _call(ADD_RULE, ruleset, PATH_BENEATH, rule, 0)
    finally:
        os.close(place)


def _call(number: int, *arguments: "int | bytes") -> int:
    assert _LIBC is not None
    answer = int(_LIBC.syscall(number, *arguments))
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer


def all_of(paths: Iterable[str], rights: int) -> dict[str, int]:
    return dict.fromkeys(paths, rights)
