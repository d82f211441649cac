"""Credit of pairs of records, and the pairing of two sets with the most credit."""

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
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
    """What overlaps: members of a list, or words of a text, each with how often it
    stood before."""
    if value is None:
        return frozenset()
    members = map(_plain, value) if isinstance(value, list) else _words(_plain(value))
    seen: Counter[str] = Counter()
    found = []
    for member in members:
        found.append((member, seen[member]))
        seen[member] += 1
    return frozenset(found)


def _words(text: str) -> list[str]:
    return WORD.findall(text)


@dataclass(frozen=True)
class Rules:
    """Which fields must be equal, which earn credit by overlap and by distance."""

    fields: tuple[str, ...]
    overlap: tuple[str, ...]
    numbers: tuple[str, ...]
    by: str
    lowercase: bool
    span: float

    @classmethod
    def of(cls, gold: Sets, options: Options) -> "Rules":
        """Without any chosen field all those of the gold must be equal."""
        low, high = scale(options)
        overlap, numbers = options["overlap"], options["numbers"]
        by, lowercase = options["by"] or "", options["lowercase"]
        fields = options["fields"]
        if not (fields or overlap):
            known = {name for own in gold.items for one in own for name in one}
            fields = tuple(sorted(known - set(numbers)))
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

    def common(self, other: "Tuple") -> int:
        """How many parts both have."""
        pairs = zip(self.parts, other.parts, strict=True)
        return sum(len(mine & theirs) for mine, theirs in pairs)

    def credit(self, other: "Tuple", span: float) -> float:
        """From 0 to 1; 0 where what must be equal is not."""
        if self.key != other.key:
            return 0.0
        found = 1.0
        for mine, theirs in zip(self.parts, other.parts, strict=True):
            if mine or theirs:
                found *= 2 * len(mine & theirs) / (len(mine) + len(theirs))
        if self.numbers or other.numbers:
            if len(self.numbers) != len(other.numbers):
                return 0.0
            most = span * math.sqrt(len(self.numbers))
            found *= max(0.0, 1 - math.dist(self.numbers, other.numbers) / most)
        return round(found, DIGITS)


def equal_ones(first: Sequence[Tuple], second: Sequence[Tuple]) -> Counter[str]:
    """How many records are equal but for numbers, by their kind in the first; each has
    one partner."""
    left = Counter((one.key, one.parts) for one in second)
    found: Counter[str] = Counter()
    for one in first:
        if left[one.key, one.parts] > 0:
            left[one.key, one.parts] -= 1
            found[one.kind] += 1
    return found


def paired(
    first: Sequence[Tuple], second: Sequence[Tuple], span: float
) -> list[tuple[int, int, float]]:
    """Places of pairs and their credit, with the most credit in all."""
    table = np.array([[a.credit(b, span) for b in second] for a in first])
    return _best(table.reshape(len(first), len(second)))


def overlapping(first: Sequence[Tuple], second: Sequence[Tuple]) -> int:
    """How many parts are common in the pairing with the most of them, whatever the
    other fields say."""
    table = np.array([[float(a.common(b)) for b in second] for a in first])
    pairs = _best(table.reshape(len(first), len(second)))
    return round(sum(common for _, _, common in pairs))


def _best(table: Floats) -> list[tuple[int, int, float]]:
    """Pairs (row, column, value) of a table of values from 0, with the largest sum."""
    rows, columns = np.flatnonzero(table.any(axis=1)), np.flatnonzero(table.any(axis=0))
    if not len(rows):
        return []
    own = table[np.ix_(rows, columns)]
    turned = own.shape[0] > own.shape[1]
    chosen = assigned(-own.T if turned else -own)
    found = []
    for row, column in enumerate(chosen):
        i, j = (column, row) if turned else (row, column)
        if own[i, j] > 0:
            found.append((int(rows[i]), int(columns[j]), float(own[i, j])))
    return sorted(found)


def assigned(costs: Floats) -> list[int]:
    """The column of each row of a table that is no higher than wide, at the least cost
    in all: shortest augmenting paths (Jonker and Volgenant 1987)."""
    height, width = costs.shape
    of_rows, of_columns = np.zeros(height), np.zeros(width + 1)
    owner = np.full(width + 1, -1)
    for row in range(height):
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
