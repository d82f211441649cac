"""Statistics of boards: computed once, stored, and read by every process.

A row is found by a digest of all that its content depends on: the evaluations, units,
measures, level and engine. Another submission, a withdrawal, another gold or another
reader's part of the units ask for another digest, so that no row is ever out of date.
Workers compute those of the main boards (`boards.computation`); what nobody computed
yet the first who asks computes, and others who ask meanwhile wait for that.
"""

import json
import logging
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from django.core.cache import caches
from django.db import DatabaseError, connection, transaction
from django.db.models import CharField, QuerySet, Sum

from leaderboard.submissions.models import StoredBoard, StoredStatistics
from leaderboard.tasks.models import Phase
from leaderboard.web.statements import Statement
from scoring import VERSION
from scoring.measures import Measure

log = logging.getLogger(__name__)

FORMAT = 6  # raised when what is stored of any kind, or how, changes
CLAIM_SECONDS = 6  # whoever computes says so again before; after a kill nobody does
RENEWAL_SECONDS = 2.0
WAIT_SECONDS = 20.0  # for somebody else's answer
LOOK_SECONDS = 0.02
PACKING = 1
MOST_ASKED = 256 << 20  # bytes of what was computed for readers
LAST_STATES = 4  # of a board, looked through for systems that are known already

Content = Mapping[str, Any]
Stored = TypeVar("Stored")


class NotComputed(Exception):
    """The content is not stored, and is not to be computed for whoever asks."""


# A process computes one board at a time: each takes up to a hundred megabytes, and
# threads would compute several no sooner.
_computing = threading.RLock()
_touched: ContextVar["set[str] | None"] = ContextVar("touched", default=None)


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


def digest(depends_on: object) -> str:
    return blake2b(repr(depends_on).encode(), digest_size=20).hexdigest()


def stored_or_computed(
    subject: Subject, compute: Callable[[], tuple[Content, Content]]
) -> Content:
    """The content as it is stored, or as `compute` gives it: first what everybody
    reads, then the pairs, empty where there are none."""

    def made() -> Content:
        data, pairs = map(pack, compute())
        _store(subject, data, pairs)
        return unpack(data)

    return known_or_made(subject, lambda: stored_already(subject), made)


def stored_already(subject: Subject) -> Content | None:
    """The content where somebody has stored it."""
    touch(subject.key)
    data = _row(subject.key, "data")
    return None if data is None else unpack(data)


def touch(*keys: str) -> None:
    """Note that these are read or computed, for whoever asks (`touching`)."""
    touched = _touched.get()
    if touched is not None:
        touched.update(keys)


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


def known_or_made(
    subject: Subject,
    known: Callable[[], Stored | None],
    made: Callable[[], Stored],
    earlier: Sequence[Stored] = (),
    may_compute: Callable[[], bool] = lambda: True,
) -> Stored:
    """The stored values, as `known` finds them, or as `made` computes and stores them:
    one of all that ask at once does so.

    `known` may fill `earlier` with what is given while somebody else computes it, and
    where `may_compute` says no. Where nothing could be given then, NotComputed is
    raised.
    """
    touch(subject.key)
    content = known()
    if content is not None:
        return content
    if not may_compute():
        if not earlier:
            raise NotComputed
        return earlier[0]
    if connection.in_atomic_block:  # others may wait for what it has locked
        return _computed_once(subject, known, made, earlier)
    if not _computing.acquire(blocking=not earlier):
        return earlier[0]
    try:
        return _computed_once(subject, known, made, earlier)
    finally:
        _computing.release()


def _computed_once(
    subject: Subject,
    known: Callable[[], Stored | None],
    made: Callable[[], Stored],
    earlier: Sequence[Stored],
) -> Stored:
    """The content, made and stored by one of all that ask at once; the others are
    given an `earlier` one where there is one, and wait where there is none."""
    claim, claims = f"{subject.key}-computing", caches["boards"]
    until = time.monotonic() + WAIT_SECONDS
    while True:
        mine = claims.add(claim, 1, CLAIM_SECONDS)
        content = known()  # stored meanwhile
        if content is None and not mine and earlier:
            return earlier[0]
        # Inside a transaction nobody sees what others store.
        late = connection.in_atomic_block or time.monotonic() > until
        if mine or late or content is not None:
            break
        time.sleep(LOOK_SECONDS)
    with _renewal(claim) if mine else nullcontext():
        return made() if content is None else content


@contextmanager
def _renewal(claim: str) -> Iterator[None]:
    """Say that the claim still holds for as long as the block takes and its process is
    there; then it is given back."""
    claims, over = caches["boards"], threading.Event()

    def renew() -> None:
        while not over.wait(RENEWAL_SECONDS):
            claims.touch(claim, CLAIM_SECONDS)

    renewing = threading.Thread(target=renew, name="claim", daemon=True)
    renewing.start()
    try:
        yield
    finally:
        over.set()
        renewing.join()
        claims.delete(claim)


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
    except DatabaseError as error:  # computed all the same
        log.warning("statistics of a board were not stored: %s", error)


@contextmanager
def touching() -> Iterator[set[str]]:
    """The keys of all that is read or computed inside the block."""
    keys: set[str] = set()
    before = _touched.set(keys)
    try:
        yield keys
    finally:
        _touched.reset(before)
        touch(*keys)


def keep_current(phase: Phase, keys: set[str]) -> None:
    """These are the statistics of the phase's boards as they stand; earlier ones go."""
    rows = StoredStatistics.objects.filter(phase=phase)
    rows.filter(key__in=keys, asked=True).update(asked=False)
    rows.filter(asked=False).exclude(key__in=keys).delete()


def prune() -> int:
    """Remove the oldest of what was computed for readers beyond MOST_ASKED bytes; how
    many rows went."""
    asked = StoredStatistics.objects.filter(asked=True)
    old = oldest_beyond(asked, MOST_ASKED)
    return int(asked.filter(pk__in=old).delete()[0]) if old else 0


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
