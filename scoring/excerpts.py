"""Excerpts of a refused file beside its problems, with hints how to fix them."""

import re
from collections.abc import Iterable
from dataclasses import replace

from scoring.errors import Problem, with_hint
from scoring.source import ZIP_MARK, Source, printable

BLOCK = 1 << 16
BOM = b"\xef\xbb\xbf"
NEWLINE = b"\n"
# Characters of a line that are shown, and how many of them before the place.
WIDTH, BEFORE = 72, 28
QUOTED = re.compile(r"'([^']+)'")
COLUMNS = (
    "id",
    "form",
    "lemma",
    "upos",
    "xpos",
    "feats",
    "head",
    "deprel",
    "deps",
    "misc",
)
NAMED = re.compile(rf"\b({'|'.join(COLUMNS)})\b", re.IGNORECASE)


def with_excerpts(problems: Iterable[Problem], system: Source) -> list[Problem]:
    """The problems of a system's file with its own text, columns and ways to mend.

    Nothing is quoted but bytes of `system`: where a problem names no line, or a file
    that is not among its members, it stays without an excerpt.
    """
    listed = [*problems]
    if listed and len(system.files) == 1 and system.single().startswith(ZIP_MARK):
        from scoring.formats.bundle import out_of_zip  # few need it

        system = out_of_zip(system)
    return [_with_excerpt(problem, system) for problem in listed]


def _with_excerpt(problem: Problem, system: Source) -> Problem:
    explained = with_hint(problem)
    data = _member(problem, system)
    data_of_line = _line(data, problem.line) if data and problem.line else None
    if data_of_line is None:
        return explained
    column = problem.column
    # The one place where a column counts bytes: what comes before it is good UTF-8.
    if column is not None and problem.code == "encoding":
        column = len(data_of_line[: column - 1].decode("utf-8", "replace")) + 1
    line = data_of_line.decode("utf-8", "backslashreplace")
    column = column or _column(problem, line)
    text, caret = excerpt(line, column)
    place = explained.column if explained.column is not None else column
    return replace(explained, column=place, excerpt=text, caret=caret)


def _member(problem: Problem, system: Source) -> bytes | None:
    """The bytes a finding speaks of; several members of a zip are not unpacked."""
    data = None
    if problem.file in system.files:
        data = system.files[problem.file]
    elif problem.file == system.name and len(system.files) == 1:
        data = system.single()
    return None if data is None or data.startswith(ZIP_MARK) else data


def _line(data: bytes, number: int) -> bytes | None:
    """The line of that number, from 1; None behind the last one."""
    start = len(BOM) if data.startswith(BOM) else 0
    passed = 1
    # Newlines are counted much faster than found, and the line may be far down.
    while passed + (here := data.count(NEWLINE, start, start + BLOCK)) < number:
        passed, start = passed + here, start + BLOCK
        if start >= len(data):
            return None
    while passed < number:
        start, passed = data.index(NEWLINE, start) + 1, passed + 1
    end = data.find(NEWLINE, start)
    return data[start : end if end >= 0 else len(data)].removesuffix(b"\r")


def _column(problem: Problem, line: str) -> int | None:
    """The column (from 1) of the text that a message quotes, None where in doubt.

    Where columns are too few or too many: where the first one that is missing should
    begin, or the first one too many does.
    """
    message, fields = problem.message, line.split("\t")
    if problem.code == "columns" and "ten columns" in message:
        return sum(len(field) + 1 for field in fields[: len(COLUMNS)]) + (
            1 if len(fields) > len(COLUMNS) else 0
        )
    quotation = QUOTED.search(message)
    if quotation is None:
        return None
    places = [i for i, field in enumerate(fields) if field == quotation[1]]
    if named := NAMED.search(message[: quotation.start()]):
        places = [i for i in places if i == COLUMNS.index(named[1].lower())] or places
    if len(places) == 1:
        return sum(len(field) + 1 for field in fields[: places[0]]) + 1
    return line.index(quotation[1]) + 1 if line.count(quotation[1]) == 1 else None


def excerpt(line: str, column: int | None) -> tuple[str, int | None]:
    """At most WIDTH characters around the column (from 1), and its place in them."""
    place = min(column - 1, len(line)) if column else 0
    begin = max(0, min(place - BEFORE, len(line) - WIDTH))
    end = begin + WIDTH
    head = "…" * (begin > 0) + printable(line[begin:place])
    text = head + printable(line[place:end]) + "…" * (end < len(line))
    return text, len(head) if column else None
