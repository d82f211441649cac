"""Verdicts in words that can be stored and shown, with the published limits."""

import json
from dataclasses import replace

from leaderboard.submissions.confinement import Limits
from scoring import Problem

LONGEST_TEXT = 500


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


def storable(problem: Problem) -> Problem:
    """The same finding in text that every database takes and every page can show."""
    fields = {
        name: text_of(value)
        for name, value in problem.as_dict().items()
        if isinstance(value, str)
    }
    return replace(problem, **fields)  # type: ignore[arg-type]


def text_of(value: str) -> str:
    """Without NUL and lone surrogates, and not longer than a page can bear."""
    plain = value.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
    return plain if len(plain) <= LONGEST_TEXT else plain[:LONGEST_TEXT] + "…"


def as_json(problems: list[Problem]) -> bytes:
    return json.dumps([storable(problem).as_dict() for problem in problems]).encode()


def from_json(data: bytes) -> list[Problem]:
    return [Problem(**fields) for fields in json.loads(data)]
