"""Attempts of code that took over a sandboxed job, each by its name.

`python -m tests.leaderboard.attacks USER [free] NAMES` makes a victim (files,
descriptors, memory and servers of the parent process), tries each of these attempts in
a job of its own, and prints what each got, as JSON. An attempt is refused if the kernel
says so (EPERM, EACCES, ENOSYS), if there is nothing there, or if the filter ends the
process that tries; any other answer, an error included, means that it got through to
what it asked for. With `free` nothing is restricted; those of FREE then succeed on
every machine.
"""

import ctypes
import errno
import json
import mmap
import os
import platform
import pwd
import resource
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.sandbox import fork, kernel
from scoring.sandbox.fork import JobFailed, LimitExceeded, Limits, run_in_fork

LIMITS = Limits(cpu_seconds=20, wall_seconds=60, memory_bytes=256 << 20)
X86 = platform.machine() == "x86_64"
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
SECRET, FORGED = b"the secret of the parent", b"forged"
REFUSED = b"refused"
REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOSYS)

# Numbers on x86_64 and aarch64, from the kernel's tables.
NUMBERS = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clone": (56, 220),
    "clone3": (435, 435),
    "execveat": (322, 281),
    "fanotify_init": (300, 262),
    "fsopen": (430, 430),
    "init_module": (175, 105),
    "inotify_init1": (294, 26),
    "io_setup": (206, 0),
    "io_uring_setup": (425, 425),
    "kcmp": (312, 272),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mount": (165, 40),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "openat2": (437, 437),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "reboot": (169, 142),
    "rt_sigqueueinfo": (129, 138),
    "sched_setscheduler": (144, 119),
    "seccomp": (317, 277),
    "semget": (64, 190),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "shmget": (29, 194),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "tgkill": (234, 131),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}


class Nothing(Exception):
    """There was nothing to be had."""


@dataclass
class Victim:
    """Possessions of the parent that an attempt would like to have or to change."""

    folder: Path
    gold: Path
    database: Path
    log: int
    descriptor: int
    memory: "ctypes.Array[ctypes.c_char]"
    shared: mmap.mmap
    listener: str

    @classmethod
    def made(cls, folder: Path) -> "Victim":
        folder.mkdir(mode=0o700)
        gold, database = folder / "gold.conllu", folder / "plumbline.sqlite3"
        gold.write_bytes(SECRET)
        database.write_bytes(SECRET)
        log = os.open(folder / "log", os.O_RDWR | os.O_CREAT | os.O_APPEND)
        shared = mmap.mmap(-1, mmap.PAGESIZE)
        shared[: len(SECRET)] = SECRET
        memory = ctypes.create_string_buffer(SECRET)
        descriptor = os.open(database, os.O_RDWR)
        listener = f"{folder}/listens"
        return cls(folder, gold, database, log, descriptor, memory, shared, listener)

    def harm(self) -> str:
        """Differences from how it was."""
        whole = {
            "the gold": self.gold.is_file() and self.gold.read_bytes() == SECRET,
            "the database": self.database.is_file()
            and self.database.read_bytes() == SECRET,
            "rights of the database": self.database.is_file()
            and self.database.stat().st_mode & 0o777 == 0o644
            and self.database.stat().st_uid == os.getuid(),
            "times of the database": self.database.is_file()
            and self.database.stat().st_mtime > 10,
            "the folder": {path.name for path in self.folder.iterdir()}
            == {"gold.conllu", "plumbline.sqlite3", "log", "listens"},
            "the log": os.fstat(self.log).st_size == 0,
            "memory": self.memory.value == SECRET,
            "shared memory": self.shared[: len(SECRET)] == SECRET,
        }
        return ", ".join(name for name, still in whole.items() if not still)


Attempt = Callable[[Victim], Any]
ATTEMPTS: dict[str, Attempt] = {}


def attempt(function: Attempt) -> Attempt:
    ATTEMPTS[function.__name__.replace("_", " ")] = function
    return function


def call(name: str, *arguments: Any) -> int:
    """A system call by its number. Raises OSError."""
    number = NUMBERS[name][0 if X86 else 1]
    wide = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return said(LIBC.syscall(ctypes.c_long(number), *wide))


def said(answer: int) -> int:
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


def parent() -> int:
    return os.getppid()


def child_of(answer: int) -> str:
    """After a fork by any name: the new process ends at once."""
    if answer == 0:
        os._exit(0)
    return f"process {answer}"


def simple(name: str, act: Attempt) -> None:
    ATTEMPTS[name] = act


# Reading

simple("read the gold", lambda v: v.gold.read_bytes())
simple("read the database", lambda v: v.database.read_bytes())
simple("read a file of the system", lambda v: Path("/etc/passwd").read_bytes())
simple("list a folder of the site", lambda v: os.listdir(v.folder))
simple("list the root folder", lambda v: os.listdir("/"))
simple("list processes", lambda v: os.listdir("/proc"))
simple("read its environment", lambda v: Path("/proc/self/environ").read_bytes())
simple("read its map of memory", lambda v: Path("/proc/self/maps").read_bytes())
simple(
    "read the parent's environment",
    lambda v: Path(f"/proc/{parent()}/environ").read_bytes(),
)
simple(
    "read the parent's command line",
    lambda v: Path(f"/proc/{parent()}/cmdline").read_bytes(),
)
simple(
    "read the parent's map of memory",
    lambda v: Path(f"/proc/{parent()}/maps").read_bytes(),
)
simple("list the parent's descriptors", lambda v: os.listdir(f"/proc/{parent()}/fd"))
simple("follow the parent's folder", lambda v: os.readlink(f"/proc/{parent()}/cwd"))
simple(
    "open through the parent's descriptor",
    lambda v: os.open(f"/proc/{parent()}/fd/{v.descriptor}", os.O_RDONLY),
)
simple("change to a folder of the site", lambda v: os.chdir(v.folder))


@attempt
def openat2_of_the_gold(v: Victim) -> int:
    return call("openat2", -100, bytes(v.gold), struct.pack("=3Q", 0, 0, 0), 24)


@attempt
def open_by_handle(v: Victim) -> int:
    handle = bytearray(struct.pack("=Ii", 128, 0) + bytes(128))
    place = (ctypes.c_char * len(handle)).from_buffer(handle)
    mount = ctypes.c_int()
    call("name_to_handle_at", -100, bytes(v.gold), place, ctypes.byref(mount), 0)
    return call("open_by_handle_at", os.open("/", os.O_PATH), place, 0)


@attempt
def name_to_handle(v: Victim) -> int:
    place = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0), 136)
    return call(
        "name_to_handle_at", -100, bytes(v.gold), place, ctypes.byref(ctypes.c_int()), 0
    )


# The parent's memory and descriptors


@attempt
def read_the_parents_memory(v: Victim) -> bytes:
    with open(f"/proc/{parent()}/mem", "rb", buffering=0) as file:
        return os.pread(file.fileno(), len(SECRET), ctypes.addressof(v.memory))


@attempt
def write_the_parents_memory(v: Victim) -> int:
    place = os.open(f"/proc/{parent()}/mem", os.O_RDWR)
    return os.pwrite(place, FORGED, ctypes.addressof(v.memory))


@attempt
def write_shared_memory(v: Victim) -> None:
    """Writing a copy of its own harms nobody; the parent sees if it was shared."""
    v.shared[: len(FORGED)] = FORGED
    raise Nothing


def _vectors(v: Victim, data: Any) -> tuple[bytes, bytes]:
    here, there = ctypes.addressof(data), ctypes.addressof(v.memory)
    size = len(FORGED)
    return struct.pack("=2Q", here, size), struct.pack("=2Q", there, size)


@attempt
def process_vm_readv(v: Victim) -> bytes:
    data = ctypes.create_string_buffer(len(FORGED))
    ours, theirs = _vectors(v, data)
    call("process_vm_readv", parent(), ours, 1, theirs, 1, 0)
    return data.raw


@attempt
def process_vm_writev(v: Victim) -> int:
    ours, theirs = _vectors(v, ctypes.create_string_buffer(FORGED))
    return call("process_vm_writev", parent(), ours, 1, theirs, 1, 0)


@attempt
def ptrace_the_parent(v: Victim) -> int:
    return call("ptrace", 0x4206, parent(), 0, 0)  # PTRACE_SEIZE


@attempt
def let_the_parent_trace_it(v: Victim) -> int:
    return call("ptrace", 0, 0, 0, 0)  # PTRACE_TRACEME


@attempt
def pidfd_open(v: Victim) -> int:
    return call("pidfd_open", parent(), 0)


@attempt
def pidfd_getfd(v: Victim) -> int:
    return call("pidfd_getfd", call("pidfd_open", parent(), 0), v.descriptor, 0)


@attempt
def process_madvise(v: Victim) -> int:
    return call("process_madvise", call("pidfd_open", parent(), 0), None, 0, 20, 0)


@attempt
def kcmp(v: Victim) -> int:
    return call("kcmp", parent(), os.getpid(), 0, 0, 0)


@attempt
def inherited_descriptors(v: Victim) -> str:
    """Anything but the pipe for the answer and /dev/null."""
    found = []
    nowhere = os.stat("/dev/null").st_rdev
    pipes = 0
    for number in range(1024):
        with suppress(OSError):
            state = os.fstat(number)
            if state.st_mode & 0o170000 == 0o010000:
                pipes += 1
            elif state.st_rdev != nowhere:
                found.append(number)
    if found or pipes > 1:
        return f"{found}, {pipes} pipes"
    raise Nothing


@attempt
def truncate_an_inherited_descriptor(v: Victim) -> None:
    with suppress(OSError):
        os.ftruncate(v.descriptor, 0)
    for number in range(64):
        with suppress(OSError):
            os.ftruncate(number, 0)
    raise Nothing


@attempt
def write_into_the_parents_log(v: Victim) -> None:
    for number in (0, 1, 2, v.log):
        with suppress(OSError):
            os.write(number, b"forged\n")
    raise Nothing


# Changing files


@attempt
def open_the_database_for_writing(v: Victim) -> int:
    return os.open(v.database, os.O_WRONLY)


@attempt
def open_the_database_for_both(v: Victim) -> int:
    return os.open(v.database, os.O_RDWR)


@attempt
def open_with_truncation(v: Victim) -> int:
    return os.open(v.database, os.O_RDONLY | os.O_TRUNC)


@attempt
def create_a_file(v: Victim) -> int:
    return os.open(v.folder / "new", os.O_RDONLY | os.O_CREAT)


@attempt
def create_a_file_without_a_name(v: Victim) -> int:
    return os.open(v.folder, os.O_RDWR | os.O_TMPFILE)


@attempt
def write_through_mmap(v: Victim) -> None:
    with mmap.mmap(os.open(v.database, os.O_RDWR), 0) as memory:
        memory[: len(FORGED)] = FORGED


@attempt
def map_a_file_shared(v: Victim) -> mmap.mmap:
    place = os.open(os.__file__, os.O_RDONLY)
    return mmap.mmap(place, 0, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)


simple("memory to share", lambda v: mmap.mmap(-1, 4096, flags=mmap.MAP_SHARED))
simple("unlink", lambda v: os.unlink(v.database))
simple(
    "unlink relative to a folder",
    lambda v: os.unlink("plumbline.sqlite3", dir_fd=os.open(v.folder, os.O_PATH)),
)
simple("rename", lambda v: os.rename(v.gold, v.folder / "new"))
simple("replace", lambda v: os.replace(v.gold, v.database))
simple("truncate", lambda v: os.truncate(v.database, 0))
simple("link", lambda v: os.link(v.gold, v.folder / "new"))
simple("symlink", lambda v: os.symlink(v.gold, v.folder / "new"))
simple("mkdir", lambda v: os.mkdir(v.folder / "new"))
simple("rmdir", lambda v: os.rmdir(v.folder))
simple("mkfifo", lambda v: os.mkfifo(v.folder / "new"))
simple("mknod", lambda v: os.mknod(v.folder / "new"))
simple(
    "mknod of a disk", lambda v: os.mknod(v.folder / "new", 0o060600, os.makedev(8, 0))
)
simple("chmod", lambda v: os.chmod(v.database, 0o777))
simple("chown", lambda v: os.chown(v.database, os.getuid(), os.getgid()))
simple("utimes", lambda v: os.utime(v.database, (1, 1)))
simple("setxattr", lambda v: os.setxattr(v.database, "user.x", FORGED))
simple("removexattr", lambda v: os.removexattr(v.database, "user.x"))

# Connections

FAMILIES = (
    "INET",
    "INET6",
    "UNIX",
    "NETLINK",
    "PACKET",
    "VSOCK",
    "ALG",
    "BLUETOOTH",
    "CAN",
    "QIPCRTR",
)
for family in FAMILIES:
    number = getattr(socket, f"AF_{family}", None)
    if number is not None:
        kind = socket.SOCK_RAW if family in ("NETLINK", "PACKET") else None
        simple(
            f"socket {family}",
            lambda v, n=number, k=kind: socket.socket(n, k or socket.SOCK_STREAM),
        )
simple("raw socket", lambda v: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
simple("datagram socket", lambda v: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
simple("socketpair", lambda v: socket.socketpair())


@attempt
def connect_to_a_unix_socket(v: Victim) -> None:
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(v.listener)


@attempt
def connect_to_an_abstract_socket(v: Victim) -> None:
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(f"\0{v.listener}")


@attempt
def io_uring(v: Victim) -> int:
    return call("io_uring_setup", 4, ctypes.create_string_buffer(256))


# Processes and programs

simple("fork", lambda v: child_of(os.fork()))
simple("forkpty", lambda v: child_of(os.forkpty()[0]))
simple("clone", lambda v: child_of(call("clone", signal.SIGCHLD, 0, 0, 0, 0)))
simple(
    "clone into a new user namespace",
    lambda v: child_of(call("clone", 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)),
)
simple(
    "clone3",
    lambda v: child_of(
        call("clone3", struct.pack("=11Q", 0, 0, 0, 0, signal.SIGCHLD, *[0] * 6), 88)
    ),
)
simple("posix spawn", lambda v: os.posix_spawn("/bin/true", ["true"], {}))
simple("execve", lambda v: os.execv("/bin/true", ["true"]))
simple("execve of this Python", lambda v: os.execv(sys.executable, ["python", "-V"]))
simple(
    "execveat",
    lambda v: call(
        "execveat", os.open("/bin/true", os.O_PATH), b"", None, None, 0x1000
    ),
)
simple("a second thread", lambda v: threading.Thread(target=str).start())


@attempt
def a_process_that_outlives_it(v: Victim) -> int:
    """Leaves the group, and closes the pipe on which the parent waits."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.closerange(0, 64)
        select.select([], [], [], 20)
        os._exit(0)
    return pid


@attempt
def a_program_in_memory(v: Victim) -> None:
    place = os.memfd_create("x", 0)
    os.sendfile(place, os.open("/bin/true", os.O_RDONLY), 0, 1 << 20)
    os.execve(place, ["true"], {})


simple("memfd_create", lambda v: os.memfd_create("x"))
simple("memfd_secret", lambda v: call("memfd_secret", 0))
simple("unshare of users", lambda v: call("unshare", 0x10000000))
simple("unshare of mounts", lambda v: call("unshare", 0x00020000))
simple("setns", lambda v: call("setns", 0, 0))
simple("personality", lambda v: call("personality", 0x0040000))
simple("setuid", lambda v: os.setuid(os.getuid()))
simple("setsid", lambda v: os.setsid())
simple("a group of its own", lambda v: os.setpgid(0, os.getpgid(parent())))

if X86:

    def machine_code(code: bytes) -> int:
        place = mmap.mmap(
            -1,
            4096,
            flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
            prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC,
        )
        place.write(code)
        address = ctypes.addressof(ctypes.c_char.from_buffer(place))
        answer = int(ctypes.CFUNCTYPE(ctypes.c_int)(address)())
        if answer < 0:
            raise OSError(-answer, os.strerror(-answer))
        return answer

    @attempt
    def vfork(v: Victim) -> int:
        """mov eax,58; syscall; jump unless 0; xor edi,edi; mov eax,60; syscall"""
        code = "b83a0000000f0585c0750931ffb83c0000000f05c3"
        return machine_code(bytes.fromhex(code))

    @attempt
    def a_call_of_32_bits(v: Victim) -> int:
        """mov eax,20; int 0x80; ret: getpid"""
        return machine_code(bytes.fromhex("b814000000cd80c3"))

    @attempt
    def a_call_of_x32(v: Victim) -> int:
        return said(LIBC.syscall(ctypes.c_long(0x40000000 | 39)))


# Other processes

simple("kill the parent", lambda v: os.kill(parent(), signal.SIGURG))
simple("kill its group", lambda v: os.kill(-os.getpgid(parent()), signal.SIGURG))
simple("kill everybody", lambda v: os.kill(-1, 0))
simple("tgkill the parent", lambda v: call("tgkill", parent(), parent(), signal.SIGURG))
simple(
    "sigqueue to the parent",
    lambda v: call(
        "rt_sigqueueinfo",
        parent(),
        signal.SIGURG,
        struct.pack("=iii", signal.SIGURG, 0, -1) + bytes(116),
    ),
)
simple(
    "pidfd_send_signal to the parent",
    lambda v: call("pidfd_send_signal", call("pidfd_open", parent(), 0), 0, None, 0),
)
simple(
    "prlimit of the parent",
    lambda v: resource.prlimit(parent(), resource.RLIMIT_CORE, (0, 0)),
)
simple(
    "read limits of the parent",
    lambda v: resource.prlimit(parent(), resource.RLIMIT_CORE),
)
simple(
    "scheduler of the parent",
    lambda v: call("sched_setscheduler", parent(), 0, struct.pack("=i", 0)),
)
simple(
    "priority of the parent", lambda v: os.setpriority(os.PRIO_PROCESS, parent(), 19)
)
simple("processors of the parent", lambda v: os.sched_setaffinity(parent(), {0}))
MORE = struct.pack("=2Q", LIMITS.cpu_seconds + 1, LIMITS.cpu_seconds + 1)
simple(
    "more processor time",
    lambda v: call("prlimit64", 0, resource.RLIMIT_CPU, MORE, None),
)
simple("outlive the parent", lambda v: call("prctl", 1, 0, 0, 0, 0))
simple("open its own memory to others", lambda v: call("prctl", 4, 1, 0, 0, 0))
simple("another filter", lambda v: call("seccomp", 1, 0, None))

# The machine

simple("bpf", lambda v: call("bpf", 0, ctypes.create_string_buffer(64), 64))
simple(
    "perf_event_open",
    lambda v: call(
        "perf_event_open", struct.pack("=II", 1, 112) + bytes(104), 0, -1, -1, 0
    ),
)
simple("userfaultfd", lambda v: call("userfaultfd", 1))
simple("add_key", lambda v: call("add_key", b"user", b"x", b"y", 1, -3))
simple("keyctl", lambda v: call("keyctl", 0, -3, 1))
simple("mount", lambda v: call("mount", b"x", bytes(v.folder), b"nonesuch", 0, None))
simple("umount", lambda v: call("umount2", b"/nonesuch", 0))
simple("fsopen", lambda v: call("fsopen", b"tmpfs", 0))
simple("open_tree", lambda v: call("open_tree", -100, b"/", 0))
simple("pivot_root", lambda v: call("pivot_root", b"/nonesuch", b"/nonesuch"))
simple("chroot", lambda v: os.chroot("/"))
simple("reboot", lambda v: call("reboot", 0, 0, 0, None))  # wrong numbers
simple("init_module", lambda v: call("init_module", None, 0, None))
simple("swapon", lambda v: call("swapon", b"/nonesuch", 0))
simple("settimeofday", lambda v: call("settimeofday", None, None))
simple("sethostname", lambda v: socket.sethostname(socket.gethostname()))
simple("syslog", lambda v: call("syslog", 9, None, 0))
simple("inotify", lambda v: call("inotify_init1", 0))
simple("fanotify", lambda v: call("fanotify_init", 0, 0))
simple("io_setup", lambda v: call("io_setup", 1, ctypes.byref(ctypes.c_ulong())))
simple("shmget", lambda v: call("shmget", 0, 4096, 0o600))
simple("semget", lambda v: call("semget", 0, 1, 0o600))
simple("msgget", lambda v: call("msgget", 0, 0o600))
simple("mq_open", lambda v: call("mq_open", b"x", os.O_CREAT | os.O_RDWR, 0o600, None))


def result(name: str, victim: Victim, run: Callable[..., bytes]) -> str:
    """ "" if nothing was got and nothing is changed, else what."""

    def work() -> bytes:
        try:
            got = ATTEMPTS[name](victim)
        except Nothing:
            return REFUSED
        except RuntimeError as error:
            refused = str(error) == "can't start new thread"
            return REFUSED if refused else repr(error).encode()
        except OSError as error:
            refused = error.errno in REFUSALS
            return REFUSED if refused else f"got through: {error}".encode()
        return f"got {got!r}"[:200].encode()

    try:
        answer = run(work, LIMITS).decode() or "became another program"
    except (JobFailed, LimitExceeded) as end:
        by_filter = str(end) == f"ended by signal {signal.SIGSYS:d}"
        answer = REFUSED.decode() if by_filter else f"ended: {end}"
    if answer == REFUSED.decode():
        answer = ""
    if name == "a process that outlives it" and answer.startswith("got "):
        os.kill(int(answer.removeprefix("got ")), signal.SIGKILL)
    changed = victim.harm()
    return "; ".join(filter(None, (answer, changed and f"changed {changed}")))


def become(user: str) -> None:
    """Give up root for an account, and be as open to it as its other processes are."""
    kernel.libraries()  # named while Python's own files may be read
    found = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(found.pw_gid)
    os.setuid(found.pw_uid)
    LIBC.prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE, which a change of account takes away


# What any process may do: reading, changing files, connecting, starting others.
FREE = (
    "read the gold",
    "read the database",
    "read a file of the system",
    "list a folder of the site",
    "list the root folder",
    "list processes",
    "read its environment",
    "read the parent's command line",
    "change to a folder of the site",
    "write shared memory",
    "inherited descriptors",
    "truncate an inherited descriptor",
    "write into the parents log",
    "open the database for writing",
    "open the database for both",
    "open with truncation",
    "create a file",
    "write through mmap",
    "map a file shared",
    "memory to share",
    "unlink",
    "unlink relative to a folder",
    "rename",
    "replace",
    "truncate",
    "link",
    "symlink",
    "mkdir",
    "rmdir",
    "mkfifo",
    "mknod",
    "chmod",
    "chown",
    "utimes",
    "socket INET",
    "socket UNIX",
    "datagram socket",
    "socketpair",
    "connect to a unix socket",
    "connect to an abstract socket",
    "fork",
    "clone",
    "posix spawn",
    "a second thread",
    "a process that outlives it",
    "memfd_create",
    "setuid",
    "kill the parent",
    "tgkill the parent",
    "read limits of the parent",
    "prlimit of the parent",
    "scheduler of the parent",
    "outlive the parent",
    "inotify",
)


def unrestricted(work: Callable[[], bytes], limits: Limits) -> bytes:
    """As `confined`, of which only the pipe and the clock are left."""
    fork._isolate = fork._restrict = lambda *_: None  # type: ignore[assignment]
    return run_in_fork(work, limits)


def main(user: str, free: str, *names: str) -> None:
    errors = os.dup(2)
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        place.chmod(0o777)
        os.environ["PLUMBLINE_SECRET_KEY"] = SECRET.decode()
        if user:
            become(user)
        results = {}
        for number, name in enumerate(names):
            listener = socket.socket(socket.AF_UNIX)
            hidden = socket.socket(socket.AF_UNIX)
            with listener, hidden:
                victim = Victim.made(place / str(number))
                os.dup2(victim.log, 2)
                listener.bind(victim.listener)
                listener.listen()
                hidden.bind(f"\0{victim.listener}")
                hidden.listen()
                results[name] = result(
                    name, victim, unrestricted if free else run_in_fork
                )
            os.close(victim.descriptor)
        print(json.dumps(results))
    finally:
        os.dup2(errors, 2)
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
