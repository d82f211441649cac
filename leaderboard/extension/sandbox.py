"""Work on what others wrote, in a process with limits of memory and seconds."""

from leaderboard.sandbox.client import run, series
from leaderboard.sandbox.fork import JobFailed
from leaderboard.sandbox.program_environment import Inventory
from leaderboard.sandbox.queue import QueueFull

__all__ = [
    "Inventory",
    "JobFailed",
    "QueueFull",
    "run",
    "series",
]
