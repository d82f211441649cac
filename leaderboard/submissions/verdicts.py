"""Verdicts on a file that used up a limit, with the published number."""

from leaderboard.sandbox.fork import Limits
from scoring import Problem


def over_limit(what: str, limits: Limits) -> Problem:
    """The finding for a file that used up `what`: "cpu", "memory" or "file_size"."""
    said = {
        "cpu": (
            "cpu_time",
            f"the file needs more than {limits.cpu_seconds} s of processor time, "
            "which is the published limit",
        ),
        "memory": (
            "memory",
            f"the file needs more than {limits.memory_bytes >> 20} MiB of memory, "
            "which is the published limit",
        ),
        "file_size": ("file_size", "the file makes the scorer write to the disk"),
    }
    return Problem(*said[what])
