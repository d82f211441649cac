"""A taxonomy of semantic classes: a forest, written as CSV (seed 000, SCORING.md)."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.counts import Floats, Integers
from scoring.errors import Findings, SetupError
from scoring.formats.text import shown, text_of
from scoring.source import Source

HEADER = ["ID", "ParentID", "Depth", "Name"]
ANONYMOUS = "_"
NO_CLASS = -1
DEPTH = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Taxonomy:
    """`names` gives each named class its node; nodes are rows of the file from 0.

    `parents` and `depths` have one more entry at the end, a node above all trees with
    depth -1, so that every two nodes meet.
    """

    names: dict[str, int]
    parents: Integers
    depths: Integers

    def nodes(self, classes: list[str]) -> Integers:
        """The node of each class, NO_CLASS where the taxonomy does not name it."""
        found = [self.names.get(name, NO_CLASS) for name in classes]
        return np.array(found, dtype=np.int64)

    def closeness(self, first: Integers, second: Integers) -> Floats:
        """1 / (1 + path length) of each pair of nodes (n,); 0 in different trees."""
        top = len(self.parents) - 1
        left, right = first.copy(), second.copy()
        apart = np.flatnonzero(left != right)
        while len(apart):
            a, b = left[apart], right[apart]
            # Whoever lies deeper goes up; at equal depth both do.
            gap = self.depths[a] - self.depths[b]
            left[apart] = np.where(gap >= 0, self.parents[a], a)
            right[apart] = np.where(gap <= 0, self.parents[b], b)
            apart = apart[left[apart] != right[apart]]
        length = self.depths[first] + self.depths[second] - 2 * self.depths[left]
        return np.where(left == top, 0.0, 1 / (1 + length))


EMPTY = Taxonomy({}, np.array([0]), np.array([-1]))


class Row(NamedTuple):
    """One line of the file: `depth` as a number, the rest as written."""

    line: int
    id: str
    parent: str
    depth: int
    name: str


def read(source: Source) -> Taxonomy:
    """Read `ID,ParentID,Depth,Name`, a root with an empty parent and depth 0.

    Raises SetupError with the line of every repeated ID, unknown parent, wrong depth
    and repeated name; only the name "_" may repeat.
    """
    findings = Findings(source.name)
    rows = list(_rows(text_of(source, SetupError), findings))
    places: dict[str, int] = {}
    names: dict[str, int] = {}
    for place, row in enumerate(rows):
        if places.setdefault(row.id, place) != place:
            findings.add("taxonomy", f"ID '{shown(row.id)}' again.", line=row.line)
        if row.name != ANONYMOUS and names.setdefault(row.name, place) != place:
            message = f"class '{shown(row.name)}' again; only '_' may repeat."
            findings.add("taxonomy", message, line=row.line)
    parents = [_parent(row, rows, places, findings) for row in rows]
    findings.raise_if_any(SetupError)
    return Taxonomy(
        names,
        np.array([*parents, len(rows)], dtype=np.int64),
        np.array([*(row.depth for row in rows), -1], dtype=np.int64),
    )


def _parent(
    row: Row, rows: list[Row], places: dict[str, int], findings: Findings
) -> int:
    """The node of a row's parent, the node above all trees for a root."""
    above = -1
    place = len(rows)
    if row.parent:
        if row.parent not in places:
            message = f"parent '{shown(row.parent)}' has no line of its own."
            findings.add("taxonomy", message, line=row.line)
            return place
        place = places[row.parent]
        above = rows[place].depth
    if row.depth != above + 1:
        message = f"depth {row.depth}; expected {above + 1}, one below its parent."
        findings.add("taxonomy", message, line=row.line)
    return place


def _rows(text: str, findings: Findings) -> Iterator[Row]:
    lines = csv.reader(text.split("\n"), strict=True)
    try:
        header = next(lines, [])
        if header != HEADER:
            message = f"expected the header {','.join(HEADER)}."
            findings.add("taxonomy", message, line=1)
            return
        for fields in lines:
            if fields:
                yield from _row(lines.line_num, fields, findings)
    except csv.Error as error:
        findings.add("taxonomy", f"not CSV: {error}.", line=lines.line_num)


def _row(line: int, fields: list[str], findings: Findings) -> Iterator[Row]:
    message = ""
    if len(fields) != len(HEADER):
        message = f"expected {len(HEADER)} columns, found {len(fields)}."
    elif not fields[0] or not fields[3]:
        message = "expected an ID and a name (or '_')."
    elif not DEPTH.fullmatch(fields[2]):
        message = f"depth '{shown(fields[2])}'; expected a whole number."
    if message:
        findings.add("taxonomy", message, line=line)
        return
    yield Row(line, fields[0], fields[1], int(fields[2]), fields[3])
