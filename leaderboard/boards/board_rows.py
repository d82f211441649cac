"""Rows of a board in order: columns that are stored, and rows made of them when asked.

Who is who is in no column: names, facts and descriptions are read of those rows that
a page shows, as they are then. A page of a hundred among ten thousand reads a hundred.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import compress
from math import nan
from types import NoneType
from typing import Any, NamedTuple, overload
from uuid import UUID

import numpy as np

from leaderboard.boards.rows import NOT_RANKED, RankChange, Row
from leaderboard.results.printed_numbers import SIZE
from leaderboard.results.scores import printed
from leaderboard.results.stored_counts import Scored
from leaderboard.results.stored_statistics import Content
from scoring.counts import Floats
from scoring.statistics.ranks import SystemRank

BLOCK = 100  # rows whose numbers are packed together: as many as a page shows
PACKING = 1
NONE = np.iinfo(np.int64).min  # in a column of whole numbers
OF_RANK = tuple(one.name for one in fields(SystemRank))


class EntryKey(NamedTuple):
    """As much of an evaluation as finds its counts (`Scored`)."""

    pk: int
    submission_id: UUID
    gold_revision_id: int
    engine: str


class Improvement(NamedTuple):
    """A score that was better than all before it, and when it came; `decimals` are
    those that it is printed with."""

    at: float
    value: float
    decimals: int

    @property
    def printed(self) -> str:
        return printed(self.value, self.decimals)


@dataclass(frozen=True)
class RowColumns:
    """Columns of ranks of all rows of a board, in the order of the rows.

    `team` is the participation, `received` the time in seconds, `value` what ranks, as
    it is shown. `rank` and `runs` are
    those of the rows, `standing` has a column for each field of SystemRank, `change` is
    empty or (places,) of each. `complete` are those with a file for each test set,
    `unranked` those of organizers' teams that have no rank. `family` says which of them
    have the rank of their team.
    """

    pk: Sequence[int]
    submission: Sequence[str]
    engine: Sequence[str]
    team: Sequence[int]
    received: Sequence[float]
    value: Sequence[float | None]
    rank: Sequence[int | None]
    runs: Sequence[int]
    complete: Sequence[bool]
    unranked: Sequence[bool]
    change: Sequence[Sequence[int | None]]
    standing: Mapping[str, Sequence[Any]]
    family: Sequence[bool] = ()

    @classmethod
    def of(cls, rows: Sequence[Row], family: Iterable[Scored] = ()) -> "RowColumns":
        ranked = {one.pk for one in family}
        return cls(
            [row.evaluation.pk for row in rows],
            [row.submission for row in rows],
            [row.evaluation.engine for row in rows],
            [row.evaluation.participation_id for row in rows],
            [row.received_at.timestamp() for row in rows],
            [row.value for row in rows],
            [row.rank for row in rows],
            [row.runs for row in rows],
            [row.complete for row in rows],
            [row.organizers and not row.competes for row in rows],
            [[] if row.change is None else [row.change.places] for row in rows],
            {name: [getattr(row.standing, name) for row in rows] for name in OF_RANK},
            [row.evaluation.pk in ranked for row in rows],
        )

    def __len__(self) -> int:
        return len(self.pk)

    @property
    def ranked(self) -> int:
        """The number of systems with a rank."""
        return len(self) - self.rank.count(None)

    def entries(self, revision: int) -> Iterator[EntryKey]:
        """What finds the counts of each row, scored by this gold revision."""
        keys = zip(self.pk, self.submission, self.engine, strict=True)
        return (EntryKey(pk, UUID(key), revision, engine) for pk, key, engine in keys)

    def standing_of(self, place: int) -> SystemRank:
        if self.rank[place] is None:
            return NOT_RANKED
        return SystemRank(*(self.standing[name][place] for name in OF_RANK))

    def change_of(self, place: int) -> RankChange | None:
        return RankChange(*self.change[place]) if self.change[place] else None

    @property
    def untested(self) -> bool:
        """Whether the systems of the board are not tested against each other."""
        columns = (self.standing[name] for name in ("others", "complete", "low"))
        return any(
            others and complete and low is None
            for others, complete, low in zip(*columns, strict=True)
        )

    @property
    def some_incomplete(self) -> bool:
        """Whether some ranked systems are not tested, where others are."""
        tested = any(low is not None for low in self.standing["low"])
        return tested and not all(self.standing["complete"])


class StoredRanking:
    """The ranked rows of a board as they are stored; `read` gives bytes of the numbers
    from a place on, so many of them."""

    def __init__(
        self, content: Content, read: Callable[[int, int], bytes | None]
    ) -> None:
        columns = {one.name: _column(content[one.name]) for one in fields(RowColumns)}
        standing = {name: _column(content[f"of_rank.{name}"]) for name in OF_RANK}
        self.columns = RowColumns(**(columns | {"standing": standing}))
        self.content, self._read = content, read

    @property
    def resolution(self) -> float | None:
        return self.content["resolution"]

    @property
    def compared_by(self) -> str:
        """The grouping whose groups are exchanged in the tests, empty for units."""
        return self.content["compared_by"]

    @property
    def improvements(self) -> list[Improvement]:
        """How the best score that is shown rose."""
        return [Improvement(*one) for one in self.content["improvements"]]

    @property
    def team_improvements(self) -> Iterator[tuple[int, float, float]]:
        """Team, time and value of scores better than all before them of their team."""
        return iter(self.content["team_improvements"])

    def family(self, revision: int) -> tuple[Scored, ...]:
        """The systems whose pairs are tested together."""
        return tuple(compress(self.columns.entries(revision), self.columns.family))

    def numbers(self, places: Sequence[int]) -> Floats | None:
        """Shape (places, numbers of each measure); None if they were deleted since."""
        blocks = sorted({place // BLOCK for place in places})
        if blocks == [0]:
            return self.content["first"][list(places)]
        starts = self.content["blocks"]
        first, last = blocks[0], blocks[-1]
        read = self._read(starts[first], starts[last + 1] - starts[first])
        if read is None:
            return None
        width, base = self.content["measures"] * SIZE, starts[first]
        tables = {}
        for block in blocks:
            piece = read[starts[block] - base : starts[block + 1] - base]
            flat = np.frombuffer(zlib.decompress(piece), np.float64)
            tables[block] = flat.reshape(-1, width)
        return np.stack([tables[place // BLOCK][place % BLOCK] for place in places])


def packed_columns(columns: RowColumns) -> Content:
    """The columns as they are stored: numbers in arrays, which are read in a tenth of
    the time that text takes."""
    found = {one.name: _packed(getattr(columns, one.name)) for one in fields(columns)}
    standing = {f"of_rank.{n}": _packed(c) for n, c in columns.standing.items()}
    return found | standing | {"standing": []}


def _packed(column: Any) -> Any:
    kinds = set(map(type, column))
    if kinds <= {int, NoneType} and kinds:
        return np.array([NONE if one is None else one for one in column], np.int64)
    if kinds <= {float, NoneType} and kinds:
        return np.array([nan if one is None else one for one in column])
    return np.array(column) if kinds == {bool} else column


def _column(packed: Any) -> Any:
    if not isinstance(packed, np.ndarray):
        return packed
    column = packed.tolist()
    missing = np.isnan(packed) if packed.dtype == np.float64 else packed == NONE
    if missing.any():
        return [None if m else one for one, m in zip(column, missing, strict=True)]
    return column


def packed_numbers(table: Floats) -> tuple[Content, bytes]:
    """Numbers (rows, numbers of each measure), so many rows packed together: the first
    of them, where each pack begins and the last ends, and the packs."""
    blocks = [
        zlib.compress(np.ascontiguousarray(table[top : top + BLOCK]).tobytes(), PACKING)
        for top in range(0, len(table), BLOCK)
    ]
    starts = [0, *np.cumsum([len(one) for one in blocks]).tolist()]
    return {"first": table[:BLOCK], "blocks": starts}, b"".join(blocks)


class BoardRows(Sequence[Row]):
    """The rows of a board, made when they are asked for, with those of their page:
    `make` gives rows by place, and of what was deleted meanwhile none."""

    def __init__(
        self,
        columns: RowColumns,
        make: Callable[[Sequence[int]], Mapping[int, Row]],
    ) -> None:
        self.columns, self._make = columns, make
        self._made: dict[int, Row] = {}

    def __len__(self) -> int:
        return len(self.columns)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | Sequence[Row]:
        if isinstance(place, slice):
            return self.at(range(len(self))[place])
        return self.at([range(len(self))[place]])[0]

    def __iter__(self) -> Iterator[Row]:
        return iter(self[:])

    def at(self, places: Sequence[int]) -> list[Row]:
        """The rows of these places, read together."""
        blocks = {place // BLOCK for place in places if place not in self._made}
        if blocks:
            size = len(self)
            of_blocks = (range(b * BLOCK, (b + 1) * BLOCK) for b in sorted(blocks))
            self._made |= self._make([p for of in of_blocks for p in of if p < size])
        return [self._made[place] for place in places if place in self._made]
