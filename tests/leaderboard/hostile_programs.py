"""Hostile scoring programs, and a host that runs them and an honest one after each.

`python -m tests.leaderboard.hostile_programs USER [free] NAMES` runs these programs as
that account (as the present one for an empty name) and prints what came of each, as
JSON. With `free`, empty otherwise, nothing is restricted.

A program consists of attempts. One that the kernel refuses (EPERM, EACCES, ENOSYS),
or that finds nothing there, has got nothing; any other end, an error included, means
that it got through. Programs that are to be ended by a limit say which.
"""

import codecs
import json
import os
import platform
import pwd
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import psutil

from scoring.formats.bundle import zip_files
from scoring.sandbox import program, removal, scoring_program, team_code
from scoring.sandbox.fork import JobFailed, LimitExceeded
from scoring.sandbox.program import Program
from scoring.sandbox.scoring_program import (
    PREFIX,
    FinishedRun,
    ProgramLimits,
    RunPlace,
)
from scoring.scorers.program.conventions import SCORES
from tests.leaderboard import attacks
from tests.leaderboard.attacks import X86
from tests.scoring.programs import GOLD, RIGHT, SENT
from tests.scoring.programs import program as zip_of

ROOT = Path(__file__).resolve().parents[2]
LIMITS = ProgramLimits(
    cpu_seconds=10,
    wall_seconds=60,
    memory_bytes=256 << 20,
    folder_bytes=1 << 20,
    most_files=200,
    output_bytes=200_000,
)
LOCKED = "a locked folder"
# Interpreters that an account without rights may find.
INTERPRETERS = (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3")
# Numbers on x86_64 and aarch64, from the kernel's tables.
NUMBERS = attacks.NUMBERS | {
    "accept4": (288, 242),
    "acct": (163, 89),
    "adjtimex": (159, 171),
    "bind": (49, 200),
    "capset": (126, 91),
    "clock_settime": (227, 112),
    "connect": (42, 203),
    "delete_module": (176, 106),
    "fallocate": (285, 47),
    "finit_module": (313, 273),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "ioprio_set": (251, 30),
    "kexec_load": (246, 104),
    "landlock_create_ruleset": (444, 444),
    "listen": (50, 201),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "quotactl": (179, 60),
    "recvfrom": (45, 207),
    "request_key": (249, 218),
    "sendto": (44, 206),
    "setdomainname": (171, 162),
    "socket": (41, 198),
    "setgid": (106, 144),
    "sethostname": (170, 161),
    "setitimer": (38, 103),
    "setpgid": (109, 154),
    "setresuid": (117, 147),
    "setrlimit": (160, 164),
    "setsid": (112, 157),
    "setuid": (105, 146),
    "setxattr": (188, 5),
    "splice": (275, 76),
    "swapoff": (168, 225),
    "tee": (276, 77),
    "timer_create": (222, 107),
    "tkill": (200, 130),
    "truncate": (76, 45),
    "unlinkat": (263, 35),
    "renameat2": (316, 276),
    "fchmodat": (268, 53),
    "fchownat": (260, 54),
    "utimensat": (280, 88),
    "mknodat": (259, 33),
    "linkat": (265, 37),
    "symlinkat": (266, 36),
    "epoll_create1": (291, 20),
    "eventfd2": (290, 19),
    "signalfd4": (289, 74),
    "vmsplice": (278, 75),
}

# What a hostile program begins with. Numbers, places and process numbers are put in.
PRELUDE = """
import _thread, ctypes, errno, fcntl, json, mmap, os, signal, socket, subprocess, sys
from pathlib import Path

VICTIM, OTHER, ROOT, HOST, NUMBERS = {about}
OUT = sys.argv[2]
REFUSED = {{errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOENT, errno.ENOTDIR}}
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
tried = 0


def attempt(work, *arguments):
    global tried
    tried += 1
    try:
        answer = work(*arguments)
    except (OSError, RuntimeError) as error:
        if getattr(error, "errno", errno.EPERM) in REFUSED:
            return
        answer = repr(error)
    print("GOT", tried, work, arguments, str(answer)[:80])


def call(name, *arguments):
    words = [ctypes.c_long(w) if isinstance(w, int) else w for w in arguments]
    words += [ctypes.c_long(0)] * (6 - len(words))
    answer = LIBC.syscall(ctypes.c_long(NUMBERS[name]), *words)
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer


def calls(*names):
    for name in names:
        attempt(call, name)


def read(path):
    return open(path, "rb").read()


def write(path):
    open(path, "wb").write(b"forged")


HERE = -100
os.chdir(OUT)
"""
# How all programs end that were not ended: what they tried, and a score that is theirs.
CODA = """
print("tried", tried)
Path(OUT, "scores.json").write_text('{"accuracy": 1}')
"""


@dataclass(frozen=True)
class Hostile:
    """A program by its attempts, and the end that its run has to have.

    `fault` is the beginning of what organizers are told, empty for a run that ends by
    itself. What `leaves` files is also run by a worker that is killed before it clears
    them away. `free` is how many of its attempts get through at least where nothing is
    restricted; 0 for those that would harm the machine, or get nothing anywhere.
    """

    text: str
    fault: str = ""
    leaves: bool = False
    free: int = 0
    limits: ProgramLimits = LIMITS


HOSTILE: dict[str, Hostile] = {
    # Files
    "files: other gold, database and blobs of the site": Hostile(
        """
        for name in ("gold.txt", "db.sqlite3", "blobs/ab/abcd", "worker.log"):
            attempt(read, VICTIM + "/" + name)
            attempt(os.open, VICTIM + "/" + name, os.O_RDWR)
        attempt(os.listdir, VICTIM)
        attempt(os.chdir, VICTIM + "/nothing")
    """,
        free=8,
    ),
    "files: accounts and secrets of the system": Hostile(
        """
        for path in ("/etc/passwd", "/etc/shadow", "/etc/hosts", "/etc/machine-id",
                     "/etc/ssl/private", "/root/.ssh/id_rsa", "/var/log/syslog"):
            attempt(read, path)
        for path in ("/", "/tmp", "/root", "/home", "/etc", "/var", "/run", "/opt"):
            attempt(os.listdir, path)
    """,
        free=4,
    ),
    "files: the run of another": Hostile(
        """
        attempt(os.listdir, str(Path(OUT).parent))
        attempt(os.listdir, str(Path(OUT).parent.parent))
        attempt(os.listdir, OTHER)
        attempt(read, OTHER + "/input/ref/gold.txt")
        attempt(write, OTHER + "/output/scores.json")
    """,
        free=4,
    ),
    "files: code of the site and gold of its demo": Hostile(
        """
        for name in ("manage.py", "leaderboard/settings.py", "scoring/version.py",
                     "tests/conftest.py", ".git/HEAD", "deploy/env.example"):
            attempt(read, ROOT + "/" + name)
        attempt(os.listdir, ROOT)
        attempt(os.listdir, ROOT + "/leaderboard/demo/data")
    """,
        free=5,
    ),
    "files: ways around a path": Hostile(
        """
        up = "../" * 40
        attempt(read, up + VICTIM.lstrip("/") + "/gold.txt")
        attempt(read, "/dev/null/.." + VICTIM + "/gold.txt")
        place = os.open(VICTIM, os.O_PATH)
        attempt(lambda: os.open("gold.txt", os.O_RDONLY, dir_fd=place))
        attempt(lambda: os.open(".", os.O_RDONLY, dir_fd=place))
        file = os.open(VICTIM + "/gold.txt", os.O_PATH)
        attempt(lambda: os.open("/proc/self/fd/%d" % file, os.O_RDONLY))
        attempt(read, "/dev/fd/%d" % file)
        here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        attempt(lambda: os.open("../input/../../x", os.O_RDONLY, dir_fd=here))
        attempt(call, "openat2", HERE, (VICTIM + "/gold.txt").encode())
    """,
        free=3,
    ),
    "files: links and special files": Hostile(
        """
        gold = (VICTIM + "/gold.txt").encode()
        attempt(call, "linkat", HERE, gold, HERE, b"mine")
        attempt(call, "symlinkat", gold, HERE, b"mine")
        for kind in (0o010000, 0o020000, 0o060000, 0o140000):
            attempt(call, "mknodat", HERE, b"special", kind | 0o600, 0x0101)
    """,
        free=2,
    ),
    # What the kernel tells of processes and devices
    "proc: of itself": Hostile(
        """
        for name in ("environ", "mem", "maps", "cmdline", "auxv", "status", "syscall",
                     "root/etc/passwd", "root" + VICTIM + "/gold.txt", "mounts"):
            attempt(read, "/proc/self/" + name)
        for name in ("fd", "task", "ns", "map_files"):
            attempt(os.listdir, "/proc/self/" + name)
    """,
        free=6,
    ),
    "proc: of its parent and of others": Hostile("""
        for process in (os.getppid(), HOST, 1):
            for name in ("environ", "mem", "maps", "cmdline", "root/etc/passwd"):
                attempt(read, "/proc/%d/%s" % (process, name))
            attempt(os.listdir, "/proc/%d/fd" % process)
        attempt(os.listdir, "/proc")
    """),
    "proc: devices and the kernel's own": Hostile("""
        for path in ("/dev/mem", "/dev/kmsg", "/dev/tty", "/dev/fuse", "/dev/zero",
                     "/dev/urandom", "/dev/ptmx", "/proc/kallsyms", "/proc/keys",
                     "/proc/kcore", "/proc/meminfo", "/sys/kernel/notes"):
            attempt(read, path)
        for path in ("/dev", "/dev/shm", "/dev/pts", "/sys", "/sys/fs/cgroup"):
            attempt(os.listdir, path)
        attempt(write, "/dev/shm/mine")
        attempt(write, "/proc/self/oom_score_adj")
    """),
    # Connections
    "sockets: every family and kind": Hostile("""
        for family in range(46):
            for kind in (1, 2, 3, 5):
                attempt(call, "socket", family, kind, 0)
    """),
    "sockets: pairs, and calls on descriptors that are there": Hostile(
        """
        attempt(socket.socketpair)
        for name in ("bind", "connect", "listen", "accept4", "sendto", "recvfrom"):
            for descriptor in (0, 1, 2):
                attempt(call, name, descriptor)
    """,
        free=1,
    ),
    "sockets: a server and a name": Hostile(
        """
        attempt(socket.create_connection, ("127.0.0.1", 80), 1)
        attempt(socket.create_server, ("127.0.0.1", 0))
        attempt(lambda: socket.socket(socket.AF_UNIX).connect(VICTIM + "/listens"))
    """,
        free=1,
    ),
    "sockets: rings and queues of events": Hostile("""
        calls("io_uring_setup", "io_setup", "epoll_create1", "eventfd2", "signalfd4",
              "inotify_init1", "fanotify_init")
    """),
    # Other processes
    "processes: fork in every way": Hostile("""
        for work in (os.fork, os.forkpty):
            attempt(work)
        for flags in (17, 0x4111, 0x100 | 17, 0x10000000 | 17):
            attempt(call, "clone", flags)
        attempt(call, "clone3", 0, 64)
        attempt(os.posix_spawn, "/bin/true", ["true"], {})
        attempt(subprocess.run, ["/bin/true"])
    """),
    "processes: threads": Hostile(
        """
        import threading
        attempt(_thread.start_new_thread, print, ("GOT",))
        attempt(threading.Thread(target=print, args=("GOT",)).start)
    """,
        free=2,
    ),
    "processes: other programs": Hostile("""
        for path in ("/bin/sh", "/usr/bin/env", "/usr/bin/id", "/bin/true"):
            attempt(os.execv, path, [path])
        descriptor = os.open("mine", os.O_CREAT | os.O_WRONLY, 0o755)
        os.write(descriptor, b"#!/bin/sh\\necho GOT\\n")
        os.close(descriptor)
        attempt(os.execv, OUT + "/mine", ["mine"])
        attempt(call, "execveat", HERE, (OUT + "/mine").encode())
    """),
    "processes: the same interpreter once more": Hostile(
        """
        again = '''
        import os
        for path in ({0!r} + "/gold.txt", "/etc/passwd", "/proc/self/environ"):
            try:
                print("GOT", open(path).read())
            except PermissionError:
                pass
        try:
            print("GOT", os.fork())
        except PermissionError:
            print("tried 4")
        open({1!r} + "/scores.json", "w").write('{{"accuracy": 1}}')
        '''
        import textwrap
        code = textwrap.dedent(again).format(VICTIM, OUT)
        os.execv(sys.executable, [sys.executable, "-I", "-B", "-c", code])
    """,
        free=3,
    ),
    "processes: sessions, groups and namespaces": Hostile("""
        calls("setsid", "setns", "chroot", "pivot_root")
        attempt(call, "setpgid", 0, 0)
        for flag in (0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
            attempt(call, "unshare", flag)
    """),
    # Signals, limits and clocks of others
    "signals: to others": Hostile("""
        for process in (os.getppid(), HOST, 1, 0, -1):
            attempt(os.kill, process, 0)
        for process in (os.getppid(), HOST):
            attempt(os.kill, process, signal.SIGCONT)
            attempt(call, "tgkill", process, process, 0)
            attempt(call, "tkill", process, 0)
            attempt(call, "rt_sigqueueinfo", process, 0)
            attempt(call, "pidfd_open", process)
        attempt(call, "pidfd_send_signal", 0, 0)
    """),
    "signals: what looks like an end from outside": Hostile("""
        me = os.getpid()
        attempt(os.kill, me, signal.SIGKILL)
        attempt(call, "tkill", me, 9)
        attempt(call, "tgkill", me, me, 9)
        attempt(signal.raise_signal, signal.SIGKILL)
    """),
    "signals: limits, turns and timers": Hostile("""
        attempt(os.nice, -5)
        attempt(os.sched_setaffinity, 0, {0})
        attempt(call, "sched_setscheduler", 0, 3)
        attempt(call, "ioprio_set", 1, 0, 0)
        attempt(call, "prlimit64", os.getppid(), 7)
        attempt(call, "setrlimit", 0)
        calls("setitimer", "timer_create")
        file = open("mine", "w")
        for command in (8, 10, 1024, 1031, 1033):  # owner, signal, lease, pipe, seals
            attempt(fcntl.fcntl, file, command, os.getppid())
    """),
    # Memory of others
    "memory: of its parent": Hostile("""
        for process in (os.getppid(), HOST):
            for name in ("process_vm_readv", "process_vm_writev", "kcmp", "move_pages"):
                attempt(call, name, process)
            attempt(call, "ptrace", 16, process)
            attempt(call, "ptrace", 0x4206, process)
        calls("pidfd_getfd", "process_madvise")
    """),
    "memory: shared with others": Hostile("""
        attempt(mmap.mmap, -1, 4096)
        Path("mine").write_bytes(bytes(4096))
        with open("mine", "r+b") as file:
            attempt(mmap.mmap, file.fileno(), 4096)
        for name in ("shmget", "semget", "msgget", "mq_open", "userfaultfd"):
            attempt(call, name, 0, 4096, 0o1600)
        attempt(call, "memfd_create", b"x")
        attempt(call, "memfd_secret")
    """),
    # The kernel
    "kernel: keys, probes and modules": Hostile("""
        calls("keyctl", "add_key", "request_key", "bpf", "perf_event_open",
              "kexec_load", "init_module", "finit_module", "delete_module", "syslog",
              "acct", "swapon", "swapoff", "reboot", "quotactl")
    """),
    "kernel: mounts": Hostile("""
        calls("mount", "umount2", "fsopen", "fsmount", "fspick", "open_tree",
              "move_mount", "mount_setattr")
    """),
    "kernel: clocks and names": Hostile("""
        calls("clock_settime", "settimeofday", "adjtimex", "sethostname",
              "setdomainname")
    """),
    "kernel: rights": Hostile("""
        for name in ("setuid", "setgid", "setresuid"):
            attempt(call, name, 0)
        calls("capset", "prctl", "seccomp", "landlock_create_ruleset", "personality")
    """),
    "kernel: handles, pipes and rings": Hostile("""
        calls("name_to_handle_at", "open_by_handle_at", "splice", "tee", "vmsplice",
              "openat2")
        for request in (0x5412, 0x5413, 0x8901, 0x40086602):  # typing, owner, flags
            attempt(fcntl.ioctl, 1, request, bytes(8))
    """),
    # Writing
    "writing: what it was given": Hostile(
        """
        box = Path(OUT).parent
        for name in ("input/ref/gold.txt", "input/res/answers.txt", "input/metadata",
                     "program/score.py", "packages/sitecustomize.py"):
            path = str(box / name)
            for mode in ("a", "r+", "w"):
                attempt(open, path, mode)
            attempt(call, "truncate", path.encode(), 0)
            attempt(call, "unlinkat", HERE, path.encode())
            attempt(call, "renameat2", HERE, path.encode(), HERE, b"mine")
        for name in ("input", "program", "packages", "."):
            attempt(write, str(box / name / "new"))
            attempt(os.mkdir, str(box / name / "newer"))
    """,
        free=10,
    ),
    "writing: elsewhere": Hostile("""
        import sysconfig
        for folder in (VICTIM, ROOT, ROOT + "/static", "/tmp", "/var/tmp", "/dev/shm",
                       sysconfig.get_path("purelib"), sysconfig.get_path("stdlib")):
            attempt(write, folder + "/new")
            attempt(os.mkdir, folder + "/newer")
        attempt(write, VICTIM + "/gold.txt")
    """),
    "writing: its own files away": Hostile(
        """
        Path("mine").write_text("mine")
        os.mkdir("folder")
        attempt(call, "unlinkat", HERE, b"mine")
        attempt(call, "unlinkat", HERE, b"folder", 0x200)
        attempt(call, "renameat2", HERE, b"mine", HERE, b"yours")
        attempt(call, "truncate", b"mine", 0)
        attempt(call, "fchmodat", HERE, b"mine", 0o777)
        attempt(call, "fchownat", HERE, b"mine", 0, 0)
        attempt(call, "utimensat", HERE, b"mine")
        attempt(call, "setxattr", b"mine", b"user.x", b"x", 1)
        attempt(call, "fallocate", os.open("mine", os.O_RDWR), 1, 0, 1 << 20)
    """,
        leaves=True,
        free=2,
    ),
    "writing: files without a name": Hostile(
        """
        for place in (".", OUT):
            for flags in (os.O_RDWR, os.O_WRONLY, os.O_RDWR | os.O_EXCL):
                attempt(os.open, place, os.O_TMPFILE | flags)
    """,
        free=2,
    ),
    "writing: odd rights": Hostile(
        """
        for mode in (0, 0o300, 0o500, 0o077, 0o1700, 0o2755, 0o4755, 0o7777):
            attempt(os.mkdir, "folder%o" % mode, mode)
        for mode in (0o1600, 0o2755, 0o4755, 0o6755):
            attempt(os.open, "file%o" % mode, os.O_CREAT | os.O_WRONLY, mode)
        Path("unreadable").touch(0)
        try:
            os.umask(0o777)
        except PermissionError:
            tried += 1
        else:
            print("GOT the umask")
        os.mkdir("locked")
        print("listed", os.listdir("locked"))
    """,
        leaves=True,
        free=8,
    ),
    # Limits
    "limits: a loop that does not heed signals": Hostile(
        """
        for number in range(1, 32):
            try:
                signal.signal(number, signal.SIG_IGN)
            except OSError:
                pass
        while True:
            pass
    """,
        "the program needed more than 1 s of processor time",
        limits=replace(LIMITS, cpu_seconds=1),
    ),
    "limits: sleep that does not heed signals": Hostile(
        """
        for number in range(1, 32):
            try:
                signal.signal(number, signal.SIG_IGN)
            except OSError:
                pass
        while True:
            signal.pause()
    """,
        "the program needed more than 1 s,",
        limits=replace(LIMITS, wall_seconds=1),
    ),
    "limits: memory, descriptors and large files": Hostile(
        """
        def heap():
            parts = []
            try:
                while True:
                    parts.append(bytearray(16 << 20))
            except MemoryError:
                held = len(parts) * (16 << 20)
            if held < 256 << 20:
                raise PermissionError(errno.EPERM, "no more memory")
            return held
        def descriptors():
            opened = []
            try:
                while True:
                    opened.append(open("/dev/null"))
            except OSError:
                if len(opened) < 64:
                    raise PermissionError(errno.EPERM, "no more files") from None
            return len(opened)
        def large():
            try:
                with open("large", "wb", 0) as file:
                    while True:
                        file.write(bytes(100_000))
            except OSError:
                size = os.stat("large").st_size
                if size <= 1 << 20:
                    raise PermissionError(errno.EPERM, "too large") from None
            return size
        for work in (heap, descriptors, large):
            attempt(work)
    """,
        "the program needed more than 1 MiB of files",
        leaves=True,
    ),
    "limits: output without end": Hostile(
        """
        while True:
            print("x" * 10_000)
    """,
        "the program needed more than 195 KiB of output",
    ),
    "limits: files without end": Hostile(
        """
        for number in range(5_000):
            open(str(number), "w")
    """,
        "the program needed more than 200 files",
        leaves=True,
    ),
    "limits: many files of a size that each may have": Hostile(
        """
        for number in range(20):
            Path(str(number)).write_bytes(bytes(500_000))
    """,
        "the program needed more than 1 MiB of files",
        leaves=True,
    ),
    # Leftovers
    "leftovers: 990 folders inside each other": Hostile(
        """
        for _ in range(990):
            os.mkdir("a")
            os.chdir("a")
    """,
        "the program needed more than 32 folders",
        leaves=True,
        limits=replace(LIMITS, most_files=1000),
    ),
    "leftovers: a path that is too long to be followed": Hostile(
        """
        for _ in range(20):
            os.mkdir("a" * 250)
            os.chdir("a" * 250)
        for number in range(9):
            Path(str(number)).write_bytes(bytes(200_000))
    """,
        "the program needed more than 1 MiB of files",
        leaves=True,
    ),
    "leftovers: names that no text can have": Hostile(
        """
        for name in (b"\\xff\\xfe", b"a\\nb", b"\\x1b[2J", b" ", b"-rf", b"x" * 255):
            os.mkdir(name)
            open(name + b"/" + name, "w").close()
            tried += 1
    """,
        leaves=True,
    ),
    "leftovers: results that are no files": Hostile(
        """
        for name in ("scores.txt", "units.csv", "problems.txt"):
            os.mkdir(name)
            tried += 1
    """,
        leaves=True,
    ),
    "leftovers: output that is closed, and a life beyond it": Hostile(
        """
        os.closerange(0, 64)
        while True:
            signal.pause()
    """,
        "the program was ended because it closed its output and went on",
    ),
    "leftovers: a crash": Hostile(
        """
        ctypes.string_at(0)
    """,
        "the program was ended by signal 11",
        leaves=True,
    ),
    "output: what moves a terminal's cursor": Hostile("""
        sys.stdout.buffer.write(
            b"\\x1b[2J\\x1b]0;title\\x07 \\x00 \\x08\\r\\x7f \\xc2\\x9b1m "
            b"\\xe2\\x80\\xae \\xff\\n"
        )
        sys.stdout.flush()
        tried += 1
    """),
}
MACHINE_CODE = """
    code = {code}
    memory = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                       mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    print("GOT", ctypes.CFUNCTYPE(ctypes.c_int)(place)())
"""
if X86:
    HOSTILE |= {
        "kernel: calls as 32 bits number them": Hostile(
            # mov eax, 20 (getpid); int 0x80; ret
            MACHINE_CODE.format(code=r'b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"'),
            "the program was ended by signal 31",
        ),
        "kernel: calls as x32 numbers them": Hostile(
            "print('GOT', LIBC.syscall(ctypes.c_long(0x40000000 + 39)))",
            "the program was ended by signal 31",
        ),
    }


@dataclass(frozen=True)
class Host:
    """A place where programs run, a victim beside it, and the interpreter."""

    runs: Path
    victim: Path
    other: Path
    python: str

    @classmethod
    def made(cls, root: Path) -> "Host":
        runs, victim = root / "programs", root / "victim"
        runs.mkdir(0o700)
        (victim / "blobs/ab").mkdir(parents=True)
        for name in ("gold.txt", "db.sqlite3", "blobs/ab/abcd", "worker.log"):
            (victim / name).write_text("the site's")
        other = runs / "other"  # no folder of a run that could be cleared away
        (other / "input/ref").mkdir(parents=True)
        (other / "output").mkdir()
        (other / "input/ref/gold.txt").write_text("the site's")
        able = (path for path in INTERPRETERS if os.access(path, os.X_OK))
        return cls(runs, victim, other, next(able))

    def script(self, text: str) -> str:
        column = 0 if platform.machine() == "x86_64" else 1
        numbers = {name: row[column] for name, row in NUMBERS.items()}
        about = (str(self.victim), str(self.other), str(ROOT), os.getpid(), numbers)
        return PRELUDE.format(about=repr(about)) + dedent(text) + CODA

    def run(self, script: str, limits: ProgramLimits = LIMITS) -> Any:
        sources = (zip_of(script), GOLD, SENT)
        place = RunPlace(self.python, str(self.runs))
        return scoring_program.run(sources, "", limits, place)

    def run_as_code(self, script: str, limits: ProgramLimits) -> Any:
        """As a team's code, which runs before an honest program."""
        folders = {"input/gold.txt": b"w x y z", "ref/gold.txt": GOLD.single()}
        gold = zip_files("gold.zip", folders)
        place = RunPlace(self.python, str(self.runs))
        code = team_code.run(zip_of(script), gold, limits, place, folder="input")
        if code.refused:
            return FinishedRun(output=code.output, refused=code.refused)
        sources = zip_of(RIGHT), gold, zip_files("out.zip", code.files)
        ended = scoring_program.run(sources, "", limits, place, folder="ref")
        return replace(ended, output=code.output + ended.output)

    def honest_score(self) -> float | str:
        ended = self.run(RIGHT)
        if ended.faults:
            return f"{ended.faults}"
        return float(json.loads(ended.files[SCORES])["accuracy"])

    def run_without_removal(
        self, script: str, limits: ProgramLimits, name: str
    ) -> None:
        """As a worker that is killed before it removes the folder leaves it."""
        folder = self.runs / name
        for part in ("program", "input", "output"):
            (folder / part).mkdir(parents=True)
        path = folder / "program/score.py"
        path.write_text(script)
        command = (self.python, "-B", str(path), str(folder / "input"))
        ready = Program(
            (*command, str(folder / "output")),
            folder / "output",
            limits.limits,
            (folder / "program", *scoring_program._of(self.python)),
            folder_bytes=limits.folder_bytes,
            most_files=limits.most_files,
        )
        with suppress(LimitExceeded, JobFailed):
            program.run(ready)

    def left(self) -> list[str]:
        return sorted(path.name for path in self.runs.iterdir() if path != self.other)

    def harmed(self) -> list[str]:
        files = (p for p in (*self.victim.rglob("*"), *self.other.rglob("*")))
        return [str(p) for p in files if p.is_file() and p.read_text() != "the site's"]


def what_came_of(hostile: Hostile, host: Host) -> dict[str, Any]:
    script = host.script(hostile.text)
    ended = host.run(script, hostile.limits)
    said = ended.output.splitlines()
    as_code = host.run_as_code(script, hostile.limits)
    tried = [int(line.split()[1]) for line in said if line.startswith("tried ")]
    came = {
        "got": [line for line in said if "GOT" in line],
        "got_as_code": [x for x in as_code.output.splitlines() if "GOT" in x],
        "refused_as_code": [problem.message for problem in as_code.refused],
        "scored_as_code": SCORES in as_code.files,
        "tried": sum(tried),
        "end": "; ".join(problem.message for problem in ended.faults),
        "unprintable": sorted({c for c in ended.output if _moves_cursor(c)}),
        "output": ended.output[-2000:],
        "left": host.left(),
        "harmed": host.harmed(),
        "alive": [child.pid for child in psutil.Process().children(recursive=True)],
        "honest": host.honest_score(),
    }
    if hostile.leaves:
        host.run_without_removal(script, hostile.limits, f"{PREFIX}killed")
        came["left_by_killed_worker"] = host.left()
        came["honest_beside_it"] = host.honest_score()
        os.utime(host.runs / f"{PREFIX}killed", (0, 0))
        came["honest_a_day_later"] = host.honest_score()
        came["removed"] = scoring_program.clear_old(str(host.runs))
        came["left_later"] = host.left()
    return came


def unrestricted(hostile: Hostile, host: Host) -> int:
    """How many attempts get through without a sandbox."""
    box = Path(tempfile.mkdtemp(dir=host.runs))
    for part in ("program", "packages", "input/ref", "input/res", "output"):
        (box / part).mkdir(parents=True)
    for name in ("ref/gold.txt", "res/answers.txt", "metadata"):
        (box / "input" / name).write_text("a b c d")
    (box / "packages/sitecustomize.py").touch()
    path = box / "program/score.py"
    path.write_text(host.script(hostile.text))
    command = [host.python, "-B", str(path), str(box / "input"), str(box / "output")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.stdout.count("GOT")


def end_of_a_locked_folder(host: Host) -> str:
    """The answer of the look at the disk for a folder that only root may list."""
    folder = host.runs / "locked"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner").chmod(0o300)
    try:
        program.within(Program((host.python,), folder, LIMITS.limits))
    except LimitExceeded as limit:
        return limit.what
    return ""


def _moves_cursor(character: str) -> bool:
    return not character.isprintable() and character not in "\n\t"


def main(user: str, free: str, *names: str) -> None:
    root = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        for codec in (
            "cp437",
            "utf-8-sig",
            "unicode_escape",
        ):  # loaded while this account may
            codecs.lookup(codec)
        if user:
            shutil.chown(root, user, pwd.getpwnam(user).pw_gid)
            attacks.become(user)
        host = Host.made(root)
        if free:
            got = {name: unrestricted(HOSTILE[name], host) for name in names}
            print(json.dumps(got))
            return
        came = {name: what_came_of(HOSTILE[name], host) for name in names}
        print(json.dumps({**came, LOCKED: end_of_a_locked_folder(host)}))
    finally:
        removal.remove(str(root))


if __name__ == "__main__":
    main(*sys.argv[1:])
