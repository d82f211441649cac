"""Which nodes of several graphs share a row, and in which order the rows stand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from scoring.inspection import Net, NetNode

ENTRY = "@entry"


@dataclass(eq=False)
class Row:
    """Nodes taken for one another: by graph, their places in it.

    `parent` is the row of the scope that they lie in, `depth` how many such there are.
    """

    name: str
    id: str
    places: dict[int, int] = field(default_factory=dict)
    parent: "Row | None" = None
    depth: int = 0


def rows(nets: Sequence[Net]) -> list[Row]:
    """A row per node: from the entry along the links, scopes before what they hold."""
    found = _matched(nets)
    at = {(net, place): row for row in found for net, place in row.places.items()}
    for row in found:
        row.parent = _scope(nets, row, at)
    ordered: list[Row] = []
    walked = _walked(found, nets, at)
    _lay(walked, None, ordered)
    for row in walked:
        if row not in ordered:  # scopes that hold each other
            row.parent, row.depth = None, 0
            ordered.append(row)
    return ordered


def _matched(nets: Sequence[Net]) -> list[Row]:
    """Nodes of one name meet, those with the same id first."""
    found: list[Row] = []
    for number, net in enumerate(nets):
        waiting = list(enumerate(net.nodes))
        for exact in (True, False):
            left = []
            for place, node in waiting:
                row = next(_meeting(found, number, node, exact), None)
                if row is None:
                    left.append((place, node))
                else:
                    row.places[number] = place
            waiting = left
        found += [Row(node.name, node.id, {number: place}) for place, node in waiting]
    return found


def _meeting(
    found: list[Row], number: int, node: NetNode, exact: bool
) -> Iterator[Row]:
    for row in found:
        same = row.name == node.name and (row.id == node.id or not exact)
        if same and number not in row.places:
            yield row


At = dict[tuple[int, int], Row]


def _scope(nets: Sequence[Net], row: Row, at: At) -> Row | None:
    """The row of the scope that its first node lies in."""
    number, place = next(iter(row.places.items()))
    scope = nets[number].nodes[place].scope
    for other, node in enumerate(nets[number].nodes):
        if scope and not node.name and node.id == scope:
            return at[number, other]
    return None


def _walked(found: list[Row], nets: Sequence[Net], at: At) -> list[Row]:
    """Depth first from the entries, then from nodes that nothing leads to."""
    after: dict[Row, list[Row]] = {row: [] for row in found}
    reached = set()
    for number, net in enumerate(nets):
        for link in net.links:
            source, target = at[number, link.source], at[number, link.target]
            after[source].append(target)
            reached.add(target)
    for row in found:
        if row.parent is not None:
            after[row.parent].append(row)

    def rank(row: Row) -> tuple[bool, bool]:
        nodes = (nets[number].nodes[place] for number, place in row.places.items())
        entry = any(mark == ENTRY for node in nodes for mark, _ in node.attributes)
        return row.parent is not None or not entry, row in reached

    waiting, walked = sorted(found, key=rank)[::-1], dict[Row, None]()
    while waiting:
        row = waiting.pop()
        if row not in walked:
            walked[row] = None
            waiting += after[row][::-1]
    return list(walked)


def _lay(walked: list[Row], parent: Row | None, ordered: list[Row]) -> None:
    """Rows of one scope, each followed by what it holds itself."""
    for row in walked:
        if row.parent is parent:
            row.depth = 0 if parent is None else parent.depth + 1
            ordered.append(row)
            if not row.name:
                _lay(walked, row, ordered)
