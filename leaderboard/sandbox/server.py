"""The sandbox server process: `python -m leaderboard.sandbox.server LINK PATH...`.

Single-threaded, without database or settings. Per knock it forks an overseer, which
reads the request, has the job done by a confined child, and answers. The server itself
never looks at a file, so no file can end it.
"""

import os
import signal
import socket
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from leaderboard import garbage
from leaderboard.sandbox.jobs import OVERSEEING, load, perform
from scoring.sandbox import kernel
from scoring.sandbox.codec import Request, decode, encode, receive
from scoring.sandbox.fork import JobFailed, LimitExceeded, Limits, run_in_fork


def main(link: socket.socket, paths: Sequence[str]) -> None:
    """Runs until nobody holds the other end of the link."""
    kernel.close_memory()  # files of others pass through it, gold among them
    for path in paths:
        import_module(path.partition(":")[0])
    garbage.begin()
    # Here, once: each overseer would else find out anew.
    kernel.prepare(kernel.Restrictions())
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # overseers need nobody to bury them
    while True:
        knock, handed, _, _ = socket.recv_fds(link, 1, 1)
        if not knock:
            return
        if handed and os.fork() == 0:
            link.close()
            _oversee(socket.socket(fileno=handed[0]))
        for number in handed:
            os.close(number)


def _oversee(connection: socket.socket) -> NoReturn:
    """Leaves by `_exit` whatever happens; whoever asked then sees no answer."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        connection.sendall(_answer(receive(connection)))
        connection.close()
    finally:
        os._exit(0)


def _answer(message: bytes) -> bytes:
    about, files = decode(message)
    job, request = load(about["path"]), Request(about["values"], files)
    os.nice(about["nice"])
    try:
        if about["path"] in OVERSEEING:
            return encode({}, [perform(job, request)])
        answer = run_in_fork(lambda: perform(job, request), Limits(**about["limits"]))
    except LimitExceeded as limit:
        return encode({"exceeded": limit.what})
    except JobFailed as fault:
        return encode({"failed": str(fault)})
    return encode({}, [answer])


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
