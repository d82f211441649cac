"""Credit of pairs of records, and the pairing of two sets with the most credit."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from scoring.counts import Floats
from scoring.options import Options
from scoring.scorers.tuples.sets import Record, Sets, numbers_of, scale

WORD = re.compile(r"\S+")
DIGITS = 12
Parts = frozenset[tuple[str, int]]


def _plain(value: Any) -> str:
    return value.strip() if isinstance(value, str) else json.dumps(value)


def parts_of(value: Any) -> Parts:
    """The parts that may overlap: members of a list, or words of a text, each with how
    often it stood before."""
    if value is None:
        return frozenset()
    members = map(_plain, value) if isinstance(value, list) else _words(_plain(value))
    seen: Counter[str] = Counter()
    parts = []
    for member in members:
        parts.append((member, seen[member]))
        seen[member] += 1
    return frozenset(parts)


def _words(text: str) -> list[str]:
    return WORD.findall(text)


@dataclass(frozen=True)
class CreditRules:
    """Fields that must be equal, or earn credit by overlap or by distance."""

    fields: tuple[str, ...]
    overlap: tuple[str, ...]
    numbers: tuple[str, ...]
    by: str
    lowercase: bool
    span: float

    @classmethod
    def of(cls, gold: Sets, options: Options) -> "CreditRules":
        """The rules of options; without a chosen field all must be equal."""
        low, high = scale(options)
        overlap, numbers = options["overlap"], options["numbers"]
        by, lowercase = options["by"] or "", options["lowercase"]
        fields = options["fields"]
        if not (fields or overlap):
            fields = tuple(sorted(gold.fields - set(numbers)))
        return cls(fields, overlap, numbers, by, lowercase, high - low)

    def _text(self, value: Any) -> str:
        text = "" if value is None else _plain(value)
        return text.lower() if self.lowercase else text

    def read(self, record: Record) -> "Tuple":
        """A record as it is compared."""
        key = tuple(self._text(record.get(name)) for name in self.fields)
        values = [record.get(name) for name in self.overlap]
        if self.lowercase:
            values = [v.lower() if isinstance(v, str) else v for v in values]
        numbers = [n for name in self.numbers for n in numbers_of(record.get(name))]
        return Tuple(
            key,
            tuple(map(parts_of, values)),
            tuple(map(float, numbers)),
            self._text(record.get(self.by)) if self.by else "",
        )


@dataclass(frozen=True)
class Tuple:
    """A record: what must be equal, what overlaps, numbers, and the kind it is of."""

    key: tuple[str, ...]
    parts: tuple[Parts, ...]
    numbers: tuple[float, ...]
    kind: str

    @cached_property
    def size(self) -> int:
        return sum(map(len, self.parts))


def equal_ones(first: Sequence[Tuple], second: Sequence[Tuple]) -> Counter[str]:
    """How many records are equal but for numbers, by their kind in the first; each has
    one partner."""
    left = Counter((record.key, record.parts) for record in second)
    counts: Counter[str] = Counter()
    for record in first:
        if left[record.key, record.parts] > 0:
            left[record.key, record.parts] -= 1
            counts[record.kind] += 1
    return counts


def pair_records(
    first: Sequence[Tuple], second: Sequence[Tuple], span: float
) -> list[tuple[int, int, float]]:
    """Places of pairs and their credit, with the most credit in all."""
    if not (first and second):
        return []
    return _best(_credits(first, second, span))


def overlapping(first: Sequence[Tuple], second: Sequence[Tuple]) -> int:
    """How many parts are common in the pairing with the most of them, whatever the
    other fields say."""
    if not (first and second):
        return 0
    table = np.zeros((len(first), len(second)))
    for field in range(len(first[0].parts)):
        table += _common(first, second, field)
    return round(sum(common for _, _, common in _best(table)))


def _common(first: Sequence[Tuple], second: Sequence[Tuple], field: int) -> Floats:
    """How many parts of a field both records have, (first, second)."""
    places: dict[tuple[str, int], int] = {}
    sides = []
    for side in (first, second):
        own = [[*map(_place(places), record.parts[field])] for record in side]
        sides.append(own)
    held = [np.zeros((len(own), len(places))) for own in sides]
    for table, own in zip(held, sides, strict=True):
        for row, columns in zip(table, own, strict=True):
            row[columns] = 1
    return np.asarray(held[0] @ held[1].T)


def _place(places: dict[tuple[str, int], int]) -> Callable[[tuple[str, int]], int]:
    """The number of a part, a new one of a part that was not there before."""
    return lambda part: places.setdefault(part, len(places))


def _credits(first: Sequence[Tuple], second: Sequence[Tuple], span: float) -> Floats:
    """Credit of every pair, (first, second): from 0 to 1, 0 where what must be equal
    is not."""
    keys = {
        key: i for i, key in enumerate(dict.fromkeys(record.key for record in first))
    }
    codes = [
        np.array([keys.get(record.key, -1) for record in side])
        for side in (first, second)
    ]
    matrix = (codes[0][:, None] == codes[1]).astype(np.float64)
    for field in range(len(first[0].parts)):
        sizes = [
            np.array([len(record.parts[field]) for record in side], dtype=np.float64)
            for side in (first, second)
        ]
        both = sizes[0][:, None] + sizes[1]
        shares = 2 * _common(first, second, field) / np.maximum(both, 1)
        matrix *= np.where(both > 0, shares, 1.0)
    if first[0].numbers or second[0].numbers:
        matrix *= _closeness(first, second, span)
    return np.asarray(np.round(matrix, DIGITS))


def _closeness(first: Sequence[Tuple], second: Sequence[Tuple], span: float) -> Floats:
    """1 less the distance of numbers over the largest there can be; 0 where there are
    not as many."""
    most = max(len(record.numbers) for side in (first, second) for record in side)
    points, sizes = [], []
    for side in (first, second):
        sizes.append(np.array([len(record.numbers) for record in side]))
        rows = [
            (*record.numbers, *[0.0] * (most - len(record.numbers))) for record in side
        ]
        points.append(np.array(rows, dtype=np.float64).reshape(len(side), most))
    squares = np.zeros((len(first), len(second)))
    with np.errstate(over="ignore"):
        for mine, theirs in zip(points[0].T, points[1].T, strict=True):
            squares += (mine[:, None] - theirs) ** 2
    width = span * np.sqrt(np.maximum(sizes[0], 1).astype(np.float64))
    close = np.maximum(0.0, 1 - np.sqrt(squares) / width[:, None])
    return np.where(sizes[0][:, None] == sizes[1], close, 0.0)


def _best(table: Floats) -> list[tuple[int, int, float]]:
    """Pairs (row, column, value) of a table of values from 0, with the largest sum."""
    rows, columns = np.flatnonzero(table.any(axis=1)), np.flatnonzero(table.any(axis=0))
    if not len(rows):
        return []
    own = table[np.ix_(rows, columns)]
    turned = own.shape[0] > own.shape[1]
    chosen = assign(-own.T if turned else -own)
    pairs = []
    for row, column in enumerate(chosen):
        i, j = (column, row) if turned else (row, column)
        if own[i, j] > 0:
            pairs.append((int(rows[i]), int(columns[j]), float(own[i, j])))
    return sorted(pairs)


def assign(costs: Floats) -> list[int]:
    """The column of each row of a table that is no higher than wide, at the least cost
    in all: shortest augmenting paths (Jonker and Volgenant 1987)."""
    height, width = costs.shape
    of_rows, of_columns = costs.min(axis=1, initial=0.0), np.zeros(width + 1)
    owner, left = np.full(width + 1, -1), []
    # Rows whose cheapest column is free need no path.
    for row in range(height):
        cheap = np.flatnonzero((costs[row] == of_rows[row]) & (owner[:width] < 0))
        if len(cheap):
            owner[cheap[0]] = row
        else:
            left.append(row)
    for row in left:
        owner[width] = row
        column, before = width, np.full(width + 1, width)
        least, used = np.full(width, np.inf), np.zeros(width + 1, dtype=np.bool_)
        while owner[column] >= 0:
            used[column] = True
            mine = owner[column]
            gap = costs[mine] - of_rows[mine] - of_columns[:width]
            closer = ~used[:width] & (gap < least)
            least[closer], before[:width][closer] = gap[closer], column
            following = int(np.where(used[:width], np.inf, least).argmin())
            step = least[following]
            of_rows[owner[used]] += step
            of_columns[used] -= step
            least[~used[:width]] -= step
            column = following
        while column != width:
            owner[column] = owner[before[column]]
            column = int(before[column])
        owner[width] = -1
    places = [0] * height
    for column, row in enumerate(owner[:width].tolist()):
        if row >= 0:
            places[row] = column
    return places
