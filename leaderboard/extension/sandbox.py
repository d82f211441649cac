"""Work on what others wrote, in a process with limits of memory and seconds."""

from leaderboard.sandbox.client import run, series
from leaderboard.sandbox.fork import JobFailed, LimitExceeded
from leaderboard.sandbox.queue import QueueFull

__all__ = [
    "JobFailed",
    "LimitExceeded",
    "QueueFull",
    "run",
    "series",
]
