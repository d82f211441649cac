"""What the scoring child says to its worker: a line of JSON, then the counts.

No pickle: the child has read a stranger's file, and the worker believes nothing that
it could be made to run.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from leaderboard.confinement.findings import storable
from leaderboard.tasks.models import TestSet
from scoring import Counts, Problem


@dataclass(frozen=True)
class Answer:
    """Either problems, or results with saved counts by the id of their test set."""

    problems: list[Problem] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)
    counts: dict[int, bytes] = field(default_factory=dict)
    sha256: str = ""


def packed_problems(problems: Iterable[Problem]) -> bytes:
    shown = [storable(problem).as_dict() for problem in problems]
    return json.dumps({"problems": shown}).encode() + b"\n"


def packed(counts: Mapping[TestSet, Counts], results: dict[str, Any]) -> bytes:
    """Raises ValueError for a score that is no finite number: never a stored result."""
    saved = {test_set.pk: found.save() for test_set, found in counts.items()}
    text = json.dumps(results, allow_nan=False, sort_keys=True)
    digest = sha256(text.encode())
    # The tables, not their compressed form, which depends on the library's version.
    for test_set in sorted(counts, key=lambda t: t.name):
        found = counts[test_set]
        digest.update(f"{test_set.name} {found.columns} {found.units}".encode())
        digest.update(found.table.tobytes())
    head = {
        "results": results,
        "sha256": digest.hexdigest(),
        "sizes": [[pk, len(data)] for pk, data in saved.items()],
    }
    line = json.dumps(head, allow_nan=False).encode()
    return b"\n".join((line, b"".join(saved.values())))


def unpacked(data: bytes) -> Answer:
    line, _, rest = data.partition(b"\n")
    head = json.loads(line)
    if "problems" in head:
        return Answer(problems=[Problem(**problem) for problem in head["problems"]])
    counts, start = {}, 0
    for pk, size in head["sizes"]:
        counts[pk] = rest[start : start + size]
        start += size
    return Answer(results=head["results"], counts=counts, sha256=head["sha256"])
