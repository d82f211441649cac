"""Answers of the scoring child to its worker: results, and the counts as files.

The child has read a stranger's file: the worker takes an answer only in the form that
the engine gives it.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from math import isfinite
from typing import Any

from leaderboard.sandbox.codec import decode, encode, problems_of
from leaderboard.sandbox.fork import JobFailed
from leaderboard.tasks.models import TestSet
from scoring import Counts, Estimate, Problem

ESTIMATE = {field.name for field in fields(Estimate)}
MOST_TABLE = 1 << 30  # bytes of the counts of one test set, as arrays
LONGEST = 10_000  # characters of a signature or remark


@dataclass(frozen=True)
class Answer:
    """Either problems, or results with saved counts by the id of their test set."""

    problems: list[Problem] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)
    counts: dict[int, bytes] = field(default_factory=dict)
    sha256: str = ""


def packed(counts: Mapping[TestSet, Counts], results: dict[str, Any]) -> bytes:
    """Raises ValueError for a score that is no finite number: never a stored result."""
    saved = {test_set.pk: table.save() for test_set, table in counts.items()}
    head = {
        "results": results,
        "sha256": digest(counts, results),
        "test_sets": list(saved),
    }
    return encode(head, list(saved.values()))


def digest(counts: Mapping[TestSet, Counts], results: dict[str, Any]) -> str:
    """SHA-256 of results and counts. Raises ValueError for numbers that are none."""
    text = json.dumps(results, allow_nan=False, sort_keys=True)
    found = sha256(text.encode())
    # The tables, not their compressed form, which depends on the library's version.
    for test_set in sorted(counts, key=lambda t: t.name):
        table = counts[test_set]
        found.update(f"{test_set.name} {table.columns} {table.units}".encode())
        for one in table.each_run():
            found.update(one.table.tobytes())
    return found.hexdigest()


def unpacked(data: bytes, test_sets: Mapping[int, str]) -> Answer:
    """What the child answered about these test sets, their names by id.

    Raises JobFailed for what the engine does not say.
    """
    head, tables = decode(data)
    try:
        if "problems" in head:
            _require(bool(head["problems"]))
            return Answer(problems=problems_of(head["problems"]))
        _check(head["results"], set(test_sets.values()))
        counts = dict(zip(head["test_sets"], tables, strict=True))
        _require(len(counts) == len(tables) and set(counts) <= set(test_sets))
        for table in tables:
            _check_table(table)
        _require(len(bytes.fromhex(head["sha256"])) == 32)
    except (KeyError, TypeError, ValueError, AttributeError, zipfile.BadZipFile):
        raise JobFailed("an answer that the engine does not give") from None
    return Answer(results=head["results"], counts=counts, sha256=head["sha256"])


def _require(fine: bool) -> None:
    if not fine:
        raise ValueError


def _check(results: Any, names: set[str]) -> None:
    """Raises ValueError, KeyError, TypeError or AttributeError."""
    _require(set(results) == {"overall", "test_sets"})
    _check_measures(results["overall"])
    _require(set(results["test_sets"]) <= names)
    for found in results["test_sets"].values():
        _require(set(found) == {"measures", "signature", "units", "remarks"})
        _check_measures(found["measures"])
        texts = [found["signature"], *found["remarks"]]
        _require(all(type(t) is str and len(t) <= LONGEST for t in texts))
        _require(type(found["units"]) is int)


def _check_measures(measures: Mapping[str, Mapping[str, Any]]) -> None:
    for name, estimate in measures.items():
        _require(len(name) <= LONGEST and set(estimate) <= ESTIMATE)
        _require(all(v is None or _is_finite(v) for v in estimate.values()))


def _is_finite(value: Any) -> bool:
    return type(value) in (int, float) and isfinite(value)


def _check_table(data: bytes) -> None:
    """Arrays of a size that memory has room for; they are read when they are needed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        _require(sum(member.file_size for member in archive.infolist()) <= MOST_TABLE)
