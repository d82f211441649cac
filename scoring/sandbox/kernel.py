"""Restrictions that the kernel puts on a process for good, as far as this one can.

Three of its parts, one behind the other: privileges, files (Landlock), system calls
(seccomp). None needs rights of its own, so a site under an account of its own has them
as well as one in a container or one that root runs.
"""

import ctypes
import mmap
import os
import re
import struct
import sys
import sysconfig
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scoring.sandbox import landlock, seccomp

ROOT = Path(__file__).resolve().parents[2]
SET_DUMPABLE, DROP_BOUND, NO_NEW_PRIVILEGES, AMBIENT = 4, 24, 38, 47
CLEAR_ALL = 4
PACKAGES = ("site-packages", "dist-packages")
CAPABILITIES_VERSION = 0x20080522
MOST_CAPABILITIES = 64
FIXED = 0x10  # MAP_FIXED
ARENA_MAX, ARENAS = -8, 2  # M_ARENA_MAX
LARGE_FROM, LARGE_BYTES = -3, 1 << 18  # M_MMAP_THRESHOLD
# Lines of /proc/self/maps: where it is mapped, that it is shared, and what it is of.
# Behind the end of another line, which is searched for three times as fast as `^`.
SHARED = re.compile(
    rb"\n([0-9a-f]+)-([0-9a-f]+) ..[-x]s [0-9a-f]+ [0-9a-f:]+ \d+ *(.*)"
)

LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
if LIBC is not None:
    LIBC.mmap.restype = ctypes.c_void_p
    LIBC.mmap.argtypes = (
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_long,
    )


@cache
def libraries() -> tuple[str, ...]:
    """Folders that Python may load more of itself from: code, and no data."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    python = {os.path.realpath(sysconfig.get_path(name)) for name in names}
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    python |= {os.path.realpath(sysconfig.get_path(n, vars=base)) for n in names[:2]}
    # Where a .pth file or PYTHONPATH brings the packages of another environment.
    places = {path for path in sys.path if os.path.basename(path) in PACKAGES}
    python |= set(map(os.path.realpath, places))
    system = {
        "/lib",
        "/lib64",
        "/usr/lib",
        "/usr/lib64",
        "/etc/ld.so.cache",
        "/usr/share/zoneinfo",
        "/dev/null",
    }
    return tuple(sorted(python | system))


@cache
def own_packages() -> tuple[str, ...]:
    """Our own code and texts, those of a site too where this one is; without the demo,
    in whose data gold lies."""
    apps = (ROOT / "leaderboard").glob("*")
    ours = {str(path) for path in apps if path.name != "demo"}
    return tuple(sorted(ours | {str(ROOT / name) for name in ("scoring", "locale")}))


@dataclass(frozen=True, slots=True)
class Restrictions:
    """Rights left to a process: files to read, a folder to write, programs to start.

    By default the libraries of this interpreter and the site's code, and nothing else.
    A process that starts programs has no use for the site's code.
    """

    read: tuple[str, ...] = ()
    write: str = ""
    programs: tuple[str, ...] = ()

    def rights(self) -> dict[str, int]:
        """Landlock's rights by path."""
        own = () if self.programs else own_packages()
        rights = landlock.all_of((*libraries(), *own, *self.read), landlock.READ)
        if self.programs:
            rights |= landlock.all_of(self.programs, landlock.RUN)
            rights["/dev/null"] = landlock.READ | landlock.WRITE
        if self.write:
            rights[self.write] = landlock.READ | landlock.WRITE
        return rights


def missing() -> dict[str, str]:
    """Parts of a sandbox that this kernel lacks, each with what that leaves open."""
    lacking = {}
    if not seccomp.available():
        lacking["seccomp"] = (
            "they could open connections, start programs and change files"
        )
    if landlock.version() == 0:
        lacking["landlock"] = "they could read the files of this account"
    return lacking


def prepare(restrictions: Restrictions) -> None:
    """Compute what is needed to restrict, once, where the next fork finds it."""
    libraries(), own_packages()
    if "seccomp" not in missing():
        seccomp.prepare(programs=bool(restrictions.programs))


def restrict(restrictions: Restrictions) -> None:
    """Take from this process all that the kernel can take and is not named.

    Raises OSError where a part that this kernel has refuses its service.
    """
    if LIBC is None:
        return
    lost = missing()
    LIBC.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _drop_capabilities()
    _drop_shared_memory()
    if "landlock" not in lost:
        landlock.restrict(restrictions.rights(), landlock.version())
    if "seccomp" not in lost:
        seccomp.restrict(programs=bool(restrictions.programs))


def release_free_memory() -> None:
    """Give free memory back to the system: what a child inherits of it would not count
    against its limit."""
    if hasattr(LIBC, "malloc_trim"):  # not every C library has it
        LIBC.malloc_trim(0)  # type: ignore[union-attr]


def keep_little_free_memory() -> None:
    """Let threads of this process share two arenas, and the system have large pieces
    back as soon as they are free.

    By default the C library has eight arenas for each core, and each keeps the most
    that a thread ever had of it. It also takes ever larger pieces from them, up to
    32 MiB, once one of that size was freed: what lies behind such a hole stays.
    """
    for what, most in ((ARENA_MAX, ARENAS), (LARGE_FROM, LARGE_BYTES)):
        if hasattr(LIBC, "mallopt"):
            LIBC.mallopt(what, most)  # type: ignore[union-attr]


def lower_session(nice: int) -> None:
    """Let the whole session of this process give way to others, if it leads one.

    Linux may share processors among sessions first (`sched_autogroup_enabled`), and
    then `nice` counts only between processes of the same. Only root may say it of a
    session once the memory of its leader is closed. Others than root are refused for a
    tenth of a second after each change that somebody made.
    """
    if os.getsid(0) != os.getpid():
        return
    for _attempt in range(10):
        with suppress(OSError):  # this kernel, or this container, has no such groups
            try:
                Path("/proc/self/autogroup").write_text(f"{nice}")
            except BlockingIOError:
                time.sleep(0.1)
                continue
        return


def close_memory() -> None:
    """Close this process to others of its account: memory, environment, debugger.

    For processes that hold secrets. A fork inherits it, a new program does not.
    """
    if LIBC is not None:
        LIBC.prctl(SET_DUMPABLE, 0, 0, 0, 0)


def _drop_capabilities() -> None:
    """Root's powers, in this process and in any program that it might start."""
    assert LIBC is not None
    LIBC.prctl(AMBIENT, CLEAR_ALL, 0, 0, 0)
    for number in range(MOST_CAPABILITIES):
        if LIBC.prctl(DROP_BOUND, number, 0, 0, 0):
            break  # no such capability, or none that may be dropped
    head = struct.pack("=Ii", CAPABILITIES_VERSION, 0)
    LIBC.capset(head, bytes(24))


def _drop_shared_memory() -> None:
    """Put private pages where memory is shared with the parent.

    A fork has it in common: locks between processes, and the index that SQLite keeps
    beside its log. Files of libraries are left where they are.
    """
    assert LIBC is not None
    with open("/proc/self/maps", "rb") as file:
        mapped = SHARED.findall(b"\n" + file.read())
    ours = tuple(os.fsencode(path) for path in (*libraries(), *own_packages()))
    for first, last, path in mapped:
        if not path.startswith(ours):
            begin, size = int(first, 16), int(last, 16) - int(first, 16)
            private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | FIXED
            both = mmap.PROT_READ | mmap.PROT_WRITE
            LIBC.mmap(begin, size, both, private, -1, 0)
