"""A taxonomy of semantic classes: a forest, written as CSV (seed 000, SCORING.md)."""

import csv
import re
from dataclasses import dataclass

import numpy as np

from scoring.counts import Floats, Integers
from scoring.errors import Findings, SetupError
from scoring.messages import Messages, _
from scoring.source import Source, brief, text_of

MESSAGES = Messages(
    below_parent=_("depth %(depth)s; expected %(expected)s, one below its parent."),
    repeated_id=_("ID '%(id)s' again."),
    repeated_class=_("class '%(name)s' again; only '_' may repeat."),
    no_parent=_("parent '%(parent)s' has no line of its own."),
    header=_("expected the header %(header)s."),
    no_csv=_("not CSV: %(error)s."),
    columns=_("expected %(expected)s columns, found %(count)s."),
    empty_field=_("expected an ID and a name (or '_')."),
    depth=_("depth '%(depth)s'; expected a whole number."),
)

HEADER = ["ID", "ParentID", "Depth", "Name"]
ANONYMOUS = "_"
NO_CLASS = UNKNOWN = -1
_is_depth = re.compile(r"[0-9]{1,9}").fullmatch


@dataclass(frozen=True)
class Taxonomy:
    """Forest of classes: `names` gives each its node, a row of the file from 0.

    `parents` and `depths` have one more entry at the end, a node above all trees with
    depth -1, so that every two nodes meet.
    """

    names: dict[str, int]
    parents: Integers
    depths: Integers

    def nodes(self, classes: list[str]) -> Integers:
        """The node of each class, NO_CLASS where the taxonomy does not name it."""
        nodes = [self.names.get(name, NO_CLASS) for name in classes]
        return np.array(nodes, dtype=np.int64)

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


@dataclass(frozen=True)
class TaxonomyRows:
    """The lines (n,) of a file: their numbers and columns, `depths` as numbers."""

    lines: list[int]
    ids: list[str]
    parents: list[str]
    depths: list[int]
    names: list[str]

    def __len__(self) -> int:
        return len(self.lines)


def read(source: Source) -> Taxonomy:
    """Read `ID,ParentID,Depth,Name`, a root with an empty parent and depth 0.

    Raises SetupError with the line of every repeated ID, unknown parent, wrong depth
    and repeated name; only the name "_" may repeat.
    """
    findings = Findings(source.name)
    rows = _rows(text_of(source, SetupError), findings)
    places, names = _first_places(rows.ids), _first_places(rows.names)
    for place, (row, name) in enumerate(zip(rows.ids, rows.names, strict=True)):
        if places[row] != place:
            message = MESSAGES("repeated_id", id=brief(row))
            findings.add("taxonomy", message, line=rows.lines[place])
        if names[name] != place and name != ANONYMOUS:
            message = MESSAGES("repeated_class", name=brief(name))
            findings.add("taxonomy", message, line=rows.lines[place])
    names.pop(ANONYMOUS, None)
    parents = _parents(rows, places, findings)
    findings.raise_if_any(SetupError)
    depths = np.array([*rows.depths, -1], dtype=np.int64)
    return Taxonomy(names, np.append(parents, len(rows)), depths)


def _first_places(texts: list[str]) -> dict[str, int]:
    """The first place of each distinct text."""
    last = len(texts) - 1
    return {text: last - i for i, text in enumerate(reversed(texts))}


def _parents(
    rows: TaxonomyRows, places: dict[str, int], findings: Findings
) -> Integers:
    """The node of each row's parent (n,), the node above all trees for a root."""
    known = [places.get(parent, UNKNOWN) for parent in rows.parents]
    nodes = np.array(known, dtype=np.int64)
    nodes[[not parent for parent in rows.parents]] = len(rows)
    depths = np.array([*rows.depths, -1], dtype=np.int64)
    expected = depths[nodes] + 1
    for row in np.flatnonzero((nodes == UNKNOWN) | (depths[:-1] != expected)).tolist():
        message = MESSAGES("below_parent", depth=depths[row], expected=expected[row])
        if nodes[row] == UNKNOWN:
            message = MESSAGES("no_parent", parent=brief(rows.parents[row]))
        findings.add("taxonomy", message, line=rows.lines[row])
    return nodes


def _rows(text: str, findings: Findings) -> TaxonomyRows:
    lines = csv.reader(text.split("\n"), strict=True)
    numbers, rows = list[int](), list[list[str]]()
    try:
        header = next(lines, [])
        if header != HEADER:
            message = MESSAGES("header", header=",".join(HEADER))
            findings.add("taxonomy", message, line=1)
            return TaxonomyRows([], [], [], [], [])
        for fields in lines:
            if len(fields) == 4 and fields[0] and fields[3] and _is_depth(fields[2]):
                numbers.append(lines.line_num)
                rows.append(fields)
            elif fields:
                findings.add("taxonomy", _problem(fields), line=lines.line_num)
    except csv.Error as error:
        findings.add("taxonomy", MESSAGES("no_csv", error=error), line=lines.line_num)
    ids, parents, depths, names = ([row[i] for row in rows] for i in range(4))
    return TaxonomyRows(numbers, ids, parents, [*map(int, depths)], names)


def _problem(fields: list[str]) -> str:
    if len(fields) != len(HEADER):
        return MESSAGES("columns", expected=len(HEADER), count=len(fields))
    if not fields[0] or not fields[3]:
        return MESSAGES("empty_field")
    return MESSAGES("depth", depth=brief(fields[2]))
