"""Messages to and from a sandbox: a line of JSON, then files, byte by byte.

No pickle: a child has read a stranger's file, and nobody believes anything that it
could be made to run. No settings, no database: sandbox servers load this module.
"""

import json
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scoring import Problem, Source
from scoring.errors import MEMBERS
from scoring.messages import Wording
from scoring.options import Options, parse
from scoring.sandbox.fork import JobFailed
from scoring.scorer import Scorer
from scoring.scorers import of_task

PIECE = 1 << 20
LONGEST_TEXT = 500
MOST_NUMBER = 1 << 40
MOST_PROBLEMS = 1000  # of one answer; an engine that is itself stops long before
NUMBERS = {"line", "column", "caret", "count"}
TEXT_FIELDS = set(MEMBERS) - NUMBERS
TABLES = {"values", "wordings"}
PROBLEM_FIELDS = TEXT_FIELDS | NUMBERS | TABLES

Values = dict[str, Any]
Pairs = list[tuple[Source, Source]]


def encode(values: Any, files: Sequence[bytes] = ()) -> bytes:
    line = {"values": values, "sizes": [*map(len, files)]}
    return b"".join([json.dumps(line).encode(), b"\n", *files])


def decode(message: bytes) -> tuple[Any, list[bytes]]:
    """Values and files. Raises JobFailed for what `encode` does not make."""
    line, _newline, rest = message.partition(b"\n")
    try:
        head = json.loads(line)
        values, sizes = head["values"], head["sizes"]
        if not all(type(size) is int and size >= 0 for size in sizes):
            raise ValueError(sizes)
    except (KeyError, TypeError, ValueError):
        raise JobFailed("an answer that no job gives") from None
    if sum(sizes) != len(rest):
        raise JobFailed("an answer of another length than it says")
    files, start = [], 0
    for size in sizes:
        files.append(rest[start : start + size])
        start += size
    return values, files


def receive(connection: socket.socket) -> bytes:
    """Receive everything until the other side has sent all."""
    whole = bytearray()
    while piece := connection.recv(PIECE):
        whole += piece
    return bytes(whole)


@dataclass(frozen=True)
class Request:
    """Arguments of a job: plain values, and files as bytes."""

    values: Values = field(default_factory=dict)
    files: list[bytes] = field(default_factory=list)

    @classmethod
    def scoring(
        cls, scorer: str, options: Mapping[str, Sequence[Any]], **values: Any
    ) -> "Request":
        """A request for a job that uses a scorer; its pairs of sources are added."""
        request = cls({"scorer": scorer, "pairs": [], **values})
        request.values["options"] = {
            name: [v if isinstance(v, str) else request._place(v) for v in given]
            for name, given in options.items()
        }
        return request

    def add(self, one: Source, other: Source) -> None:
        self.values["pairs"].append([self._place(one), self._place(other)])

    def unpack(self) -> tuple[Scorer, Options, Pairs]:
        """Scorer, options and pairs of sources of such a request."""
        options = {
            name: [v if isinstance(v, str) else self._source(v) for v in given]
            for name, given in self.values["options"].items()
        }
        scorer = of_task(self.values["scorer"], options)
        pairs = [
            (self._source(one), self._source(other))
            for one, other in self.values["pairs"]
        ]
        return scorer, parse(scorer.options, options), pairs

    def name(self, kind: str, sources: Mapping[str, Source]) -> None:
        """Add sources by what people call them, which `sources` gives back."""
        named = {name: self._place(source) for name, source in sources.items()}
        self.values[kind] = named

    def sources(self, kind: str) -> dict[str, Source]:
        named = self.values.get(kind, {})
        return {name: self._source(place) for name, place in named.items()}

    def _place(self, source: Source) -> Values:
        self.files.append(source.single())
        return {"name": source.name, "file": len(self.files) - 1}

    def _source(self, place: Mapping[str, Any]) -> Source:
        return Source.of_bytes(place["name"], self.files[place["file"]])


def storable(problem: Problem) -> Problem:
    """The same finding in text that every database takes and every page can show."""
    texts = {
        name: _storable(value)
        for name in TEXT_FIELDS
        if isinstance(value := getattr(problem, name), str)
    }
    return replace(problem, **texts)  # type: ignore[arg-type]


def _storable(text: str) -> str:
    if not isinstance(text, Wording):
        return text_of(text)
    values = {
        name: _storable(value) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    wording = Wording(text.template, values)
    short = text_of(wording)
    return wording if short == wording else short


def text_of(value: str) -> str:
    """A text without NUL and lone surrogates, and not longer than a page can bear."""
    plain = value.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
    return plain if len(plain) <= LONGEST_TEXT else plain[:LONGEST_TEXT] + "…"


def problem_rows(problems: Iterable[Problem]) -> list[Values]:
    return [storable(problem).as_row() for problem in problems]


def problems_of(rows: Any) -> list[Problem]:
    """Findings as a child sent them, each no more than a finding can be.

    Raises JobFailed for what a child that was taken over might send instead.
    """
    if not isinstance(rows, list) or len(rows) > MOST_PROBLEMS:
        raise JobFailed("an answer that is no list of findings")
    return list(map(_problem, rows))


def _problem(row: Any) -> Problem:
    is_problem = (
        isinstance(row, dict) and {"code", "message"} <= set(row) <= PROBLEM_FIELDS
    )
    if not is_problem or not all(map(_is_allowed, row, row.values())):
        raise JobFailed("an answer with a finding that is none")
    return storable(Problem.of_row(row))


def _is_allowed(name: str, value: object) -> bool:
    if name in NUMBERS:
        absent = value is None and name != "count"
        return absent or (type(value) is int and abs(value) < MOST_NUMBER)
    if name in TABLES:
        return type(value) is dict
    return type(value) is str
