"""Statistics of boards: computed once, stored, and read by every process.

A row is found by a digest of all that its content depends on: the evaluations, units,
measures, level and engine. Another submission, a withdrawal, another gold or another
reader's part of the units ask for another digest, so that no row is ever out of date.
"""

import json
import logging
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from django.db import DatabaseError, connection, transaction
from django.db.models import CharField, QuerySet, Sum

from leaderboard.submissions.models import StoredBoard, StoredStatistics
from leaderboard.tasks.models import Phase
from leaderboard.web.cache import digest
from leaderboard.web.statements import Statement
from scoring import VERSION
from scoring.measures import Measure

log = logging.getLogger(__name__)

FORMAT = 6  # raised when what is stored of any kind, or how, changes
PACKING = 1
MOST_STORED = 1 << 30  # bytes
LAST_STATES = 4  # of a board, looked through for systems that are known already
MOST_STATES = 16  # of a board, stored: each of its audiences has some

Content = Mapping[str, Any]

# A process computes the statistics of one board at a time: they take up to a hundred
# megabytes, and threads would compute several no sooner.
_computing = threading.RLock()


@dataclass(frozen=True)
class Subject:
    """The subject of statistics: `kind` names what is computed of `systems` in these
    measures, `units` is all else that numbers depend on, `besides` all the rest."""

    phase: Phase
    kind: str
    systems: Sequence[object]
    units: object
    measures: Sequence[Measure]
    besides: object = ()

    @cached_property
    def board(self) -> str:
        """The digest of all but the systems."""
        scorer = self.phase.task.scorer
        engine = (FORMAT, VERSION, scorer.name, scorer.package)
        names = list(map(attrgetter("name"), self.measures))
        return digest((self.kind, self.phase.pk, self.units, names, engine))

    @cached_property
    def key(self) -> str:
        return digest((self.board, self.systems, self.besides))


def stored_or_computed(
    subject: Subject, compute: Callable[[], tuple[Content, Content]]
) -> Content:
    """The content as it is stored, or as `compute` gives it: first what everybody
    reads, then the pairs, empty where there are none."""

    content = stored_already(subject)
    if content is not None:
        return content
    # Inside a transaction others may wait for what it has locked.
    with nullcontext() if connection.in_atomic_block else _computing:
        content = stored_already(subject)  # stored meanwhile
        if content is None:
            data, pairs = map(pack, compute())
            _store(subject, data, pairs)
            content = unpack(data)
        return content


def stored_already(subject: Subject) -> Content | None:
    """The content where somebody has stored it."""
    data = _row(subject.key, "data")
    return None if data is None else unpack(data)


def pairs_of(key: str) -> Content | None:
    """The pairs of stored statistics; None where they have been deleted since."""
    data = _row(key, "pairs")
    return None if data is None else unpack(data)


def last_states(subject: Subject) -> Iterator[tuple[str, Content]]:
    """The last states of the same board with other systems: key and content, each
    unpacked when it is asked for."""
    rows = StoredStatistics.objects.filter(board=subject.board).order_by("-id")
    states: Any = rows.values_list("key", "data")[:LAST_STATES]
    for key, data in states:
        yield key, unpack(data)


def _row(key: str, column: str) -> bytes | None:
    data = next(iter(_rows(column)(key=key)), None)
    return None if data is None else bytes(data)


@cache
def _rows(column: str) -> Statement:
    def values(key: str) -> QuerySet:
        rows = StoredStatistics.objects.filter(key=key).order_by()
        return rows.values_list(column, flat=True)

    return Statement(values, {"key": CharField()})


def _store(subject: Subject, data: bytes, pairs: bytes) -> None:
    row = StoredStatistics(
        phase=subject.phase,
        key=subject.key,
        board=subject.board,
        data=data,
        pairs=pairs,
        size=len(data) + len(pairs),
    )
    try:
        with transaction.atomic():
            StoredStatistics.objects.bulk_create([row], ignore_conflicts=True)
            states = StoredStatistics.objects.filter(board=subject.board)
            newest = states.order_by("-id").values_list("pk", flat=True)
            if earlier := list(newest[MOST_STATES:]):
                states.filter(pk__in=earlier).delete()
    except DatabaseError as error:  # computed all the same
        log.warning("statistics of a board were not stored: %s", error)


def prune() -> int:
    """Remove the oldest statistics beyond MOST_STORED bytes; how many rows went."""
    rows = StoredStatistics.objects.all()
    old = oldest_beyond(rows, MOST_STORED)
    return int(rows.filter(pk__in=old).delete()[0]) if old else 0


def oldest_beyond(
    rows: QuerySet[StoredStatistics] | QuerySet[StoredBoard], most: int
) -> list[int]:
    """Keys of the oldest rows that have to go so that the sizes of the others sum to
    `most` or less."""
    held = rows.aggregate(held=Sum("size"))["held"] or 0
    old: list[int] = []
    if held > most:
        for pk, size in rows.order_by("id").values_list("pk", "size").iterator():
            old.append(pk)
            held -= size
            if held <= most:
                break
    return old


def pack(content: Content) -> bytes:
    """Plain values as JSON, and arrays behind them as they are in memory."""
    plain, arrays = {}, []
    for name, value in content.items():
        if isinstance(value, np.ndarray):
            plain[name] = {"array": value.dtype.str, "shape": value.shape}
            arrays.append(np.ascontiguousarray(value))
        else:
            plain[name] = {"value": value}
    head = json.dumps(plain, separators=(",", ":")).encode()
    # Piece by piece: joined first, a table of ten thousand systems would be copied.
    packer = zlib.compressobj(PACKING)
    blocks: tuple[Any, ...] = (head, b"\n", *arrays)
    parts = [packer.compress(part) for part in blocks]
    return b"".join([*parts, packer.flush()])


def unpack(data: bytes) -> dict[str, Any]:
    """The value that was packed; arrays are read-only, lists stand for tuples."""
    head, _newline, arrays = zlib.decompress(data).partition(b"\n")
    content, start = {}, 0
    for name, of in json.loads(head).items():
        if "array" not in of:
            content[name] = of["value"]
            continue
        size = int(np.prod(of["shape"], dtype=int))
        whole = np.frombuffer(arrays, of["array"], size, start)
        content[name] = whole.reshape(of["shape"])
        start += whole.nbytes
    return content
