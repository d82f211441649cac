"""Findings on their way out of a child, in text that can be stored and shown."""

import json
from collections.abc import Iterable
from dataclasses import replace

from scoring import Problem

LONGEST_TEXT = 500


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


def as_json(problems: Iterable[Problem]) -> bytes:
    return json.dumps([storable(problem).as_dict() for problem in problems]).encode()


def from_json(data: bytes) -> list[Problem]:
    return [Problem(**fields) for fields in json.loads(data)]
