"""Findings on their way out of a child, in text that can be stored and shown."""

import json
from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from leaderboard.sandbox.fork import JobFailed
from scoring import Problem

LONGEST_TEXT = 500
MOST = 1000  # findings of one answer; an engine that is itself stops long before
NUMBERS = {"line", "column", "caret"}
KNOWN = {field.name for field in fields(Problem)}


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
    return received(json.loads(data))


def received(rows: Any) -> list[Problem]:
    """Findings as a child sent them, each no more than a finding can be.

    Raises Broken for what a child that was taken over might send instead.
    """
    if not isinstance(rows, list) or len(rows) > MOST:
        raise JobFailed("an answer that is no list of findings")
    return [_received(row) for row in rows]


def _received(row: Any) -> Problem:
    fine = isinstance(row, dict) and {"code", "message"} <= set(row) <= KNOWN
    if not fine or not all(map(_allowed, row, row.values())):
        raise JobFailed("an answer with a finding that is none")
    return storable(Problem(**row))


def _allowed(name: str, value: Any) -> bool:
    return (
        value is None or type(value) is int if name in NUMBERS else type(value) is str
    )
