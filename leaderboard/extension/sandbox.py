"""Work on what others wrote, in a process with limits of memory and seconds."""

from leaderboard.sandbox.client import run, series
from leaderboard.sandbox.queue import QueueFull
from scoring.sandbox.fork import JobFailed, LimitExceeded

__all__ = [
    "JobFailed",
    "LimitExceeded",
    "QueueFull",
    "run",
    "series",
]
