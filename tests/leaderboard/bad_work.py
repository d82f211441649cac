"""Jobs of a sandbox server for tests, most of which go wrong."""

import gc
import os
import signal

from leaderboard.sandbox.jobs import Answer
from scoring.sandbox.codec import Request


def echoes(request: Request) -> Answer:
    return {"before": request.values["before"]}, request.files


def collects_garbage(request: Request) -> Answer:
    return {"before": request.values["before"]}, [str(gc.isenabled()).encode()]


def takes_memory(request: Request) -> Answer:
    return {}, [bytes(200 << 20)]


def divides_by_zero(request: Request) -> Answer:
    return {}, [bytes(1 // len(request.files[len(request.files) :]))]


def loops(request: Request) -> Answer:
    while True:
        pass


def waits(request: Request) -> Answer:
    signal.pause()
    return {}, []


def kills_others(request: Request) -> Answer:
    for number in (os.getppid(), request.values["server"]):
        os.kill(number, signal.SIGKILL)
    return {}, [b"killed"]
