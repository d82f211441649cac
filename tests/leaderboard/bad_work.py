"""What a sandbox server is asked to do when a test wants it to go wrong."""

import os
import signal
from collections.abc import Mapping, Sequence
from typing import Any

Head, Files = Mapping[str, Any], Sequence[bytes]


def echoes(head: Head, files: Files) -> bytes:
    return str(head["before"]).encode() + b"".join(files)


def takes_memory(head: Head, files: Files) -> bytes:
    return bytes(200 << 20)


def divides_by_zero(head: Head, files: Files) -> bytes:
    return bytes(1 // len(files[len(files) :]))


def loops(head: Head, files: Files) -> bytes:
    while True:
        pass


def waits(head: Head, files: Files) -> bytes:
    signal.pause()
    return b""


def kills_others(head: Head, files: Files) -> bytes:
    for number in (os.getppid(), head["server"]):
        os.kill(number, signal.SIGKILL)
    return b"killed"
