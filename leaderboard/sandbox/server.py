"""The sandbox server process: `python -m leaderboard.sandbox.server WORK LINK`.

Single-threaded, without database or settings. Per knock it forks an overseer, which
reads the job, has the work done by a confined child, and answers. The server itself
never looks at a file, so no file can end it.
"""

import importlib
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from leaderboard.sandbox import kernel
from leaderboard.sandbox.client import received
from leaderboard.sandbox.fork import JobFailed, LimitExceeded, Limits, run_in_fork

Work = Callable[[dict[str, Any], Sequence[bytes]], bytes]


def main(name: str, link: socket.socket) -> None:
    """Runs until nobody holds the other end of the link."""
    kernel.close_memory()  # files of others pass through it, gold among them
    module, _, function = name.partition(":")
    work: Work = getattr(importlib.import_module(module), function)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # overseers need nobody to bury them
    while True:
        knock, handed, _, _ = socket.recv_fds(link, 1, 1)
        if not knock:
            return
        if handed and os.fork() == 0:
            link.close()
            _oversee(work, socket.socket(fileno=handed[0]))
        for number in handed:
            os.close(number)


def _oversee(work: Work, connection: socket.socket) -> NoReturn:
    """Leaves by `_exit` whatever happens; whoever asked then sees no answer."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        connection.sendall(_answer(work, received(connection)))
        connection.close()
    finally:
        os._exit(0)


def _answer(work: Work, job: bytes) -> bytes:
    line, _, rest = job.partition(b"\n")
    told = json.loads(line)
    files, start = [], 0
    for size in told["sizes"]:
        files.append(rest[start : start + size])
        start += size
    try:
        done = run_in_fork(lambda: work(told["head"], files), Limits(**told["limits"]))
    except LimitExceeded as limit:
        return _line("exceeded", limit.what)
    except JobFailed as fault:
        return _line("broken", str(fault))
    return _line("done", "") + done


def _line(kind: str, said: str) -> bytes:
    return json.dumps([kind, said]).encode() + b"\n"


if __name__ == "__main__":
    main(sys.argv[1], socket.socket(fileno=int(sys.argv[2])))
