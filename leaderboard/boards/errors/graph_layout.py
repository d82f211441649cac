"""Graphs as cards in a column and arrows beside it; the template draws them.

A node stands at the same height in every drawing of a unit. Errors are told by signs
and lines as well as by colour: "−" what only gold has, "+" what it lacks, both dashed;
"≠" another relation between the same two nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from textwrap import wrap

from leaderboard.boards.errors.tree_layout import (
    Arc,
    ArcLabel,
    PlacedText,
    cells,
    label_width,
    levels,
)
from scoring.inspection import Net, NetLink, NetNode

MOST_NODES, MOST_LINKS = 60, 120
MOST_LETTERS = 30
LETTER, MARK_LETTER = 9, 8  # pixels: a letter of a name, of what stands below it
LINE, PAD, GAP, PORT, INDENT = 18, 7, 22, 9, 18
TIP, CORNER, EDGE = 18, 6, 4
MINUS, PLUS, OTHER = "\N{MINUS SIGN}", "+", "\N{NOT EQUAL TO}"
ENTRY = "@entry"


@dataclass(frozen=True)
class NodeCard:
    """A node with its texts, or the empty place of one that only others have."""

    x: int
    y: int
    width: int
    height: int
    wrong: str
    texts: list[PlacedText]


@dataclass(frozen=True)
class GraphDrawing:
    """`scopes` are lines from a scope down to what it holds."""

    width: int
    height: int
    cards: list[NodeCard]
    scopes: list[str]
    arcs: list[Arc]


def graph_drawings(nets: Sequence[Net]) -> list[GraphDrawing | None]:
    """Gold first. None for a graph without nodes; for all if one is too large."""
    sizes = [(len(net.nodes), len(net.links)) for net in nets]
    if any(nodes > MOST_NODES or links > MOST_LINKS for nodes, links in sizes):
        return [None] * len(nets)
    rows = graph_rows(nets)
    sides = [
        _Side(net, rows, number, MINUS if number == 0 else PLUS)
        for number, net in enumerate(nets)
    ]
    heights = [max(side.height(row) for side in sides) for row in range(len(rows))]
    edge = EDGE + max((side.width(i) for side in sides for i in side.nodes), default=0)
    column = _Column(rows, heights, edge)
    return [side.drawing(column) if side.nodes else None for side in sides]


# Rows: nodes of several graphs at one height, and their order.


@dataclass(eq=False)
class GraphRow:
    """Nodes taken for one another: by graph, their places in it.

    `parent` is the row of the scope that they lie in, `depth` how many such there are.
    """

    name: str
    id: str
    places: dict[int, int] = field(default_factory=dict)
    parent: "GraphRow | None" = None
    depth: int = 0


RowOfNode = dict[tuple[int, int], GraphRow]  # by graph and place in it


def graph_rows(nets: Sequence[Net]) -> list[GraphRow]:
    """A row per node: from the entry along the links, scopes before what they hold."""
    rows = _matched(nets)
    at = {(net, place): row for row in rows for net, place in row.places.items()}
    for row in rows:
        row.parent = _scope(nets, row, at)
    ordered: list[GraphRow] = []
    walked = _walked(rows, nets, at)
    _nest(walked, None, ordered)
    for row in walked:
        if row not in ordered:  # scopes that hold each other
            row.parent, row.depth = None, 0
            ordered.append(row)
    return ordered


def _matched(nets: Sequence[Net]) -> list[GraphRow]:
    """Nodes of one name meet, those with the same id first."""
    rows: list[GraphRow] = []
    for number, net in enumerate(nets):
        waiting = list(enumerate(net.nodes))
        for exact in (True, False):
            left = []
            for place, node in waiting:
                for row in rows:
                    same = row.name == node.name and (row.id == node.id or not exact)
                    if same and number not in row.places:
                        row.places[number] = place
                        break
                else:
                    left.append((place, node))
            waiting = left
        rows += [GraphRow(node.name, node.id, {number: p}) for p, node in waiting]
    return rows


def _scope(nets: Sequence[Net], row: GraphRow, at: RowOfNode) -> GraphRow | None:
    """The row of the scope that its first node lies in."""
    number, place = next(iter(row.places.items()))
    scope = nets[number].nodes[place].scope
    for other, node in enumerate(nets[number].nodes):
        if scope and not node.name and node.id == scope:
            return at[number, other]
    return None


def _walked(rows: list[GraphRow], nets: Sequence[Net], at: RowOfNode) -> list[GraphRow]:
    """Depth first from the entries, then from nodes that nothing leads to."""
    after: dict[GraphRow, list[GraphRow]] = {row: [] for row in rows}
    reached = set()
    for number, net in enumerate(nets):
        for link in net.links:
            source, target = at[number, link.source], at[number, link.target]
            after[source].append(target)
            reached.add(target)
    for row in rows:
        if row.parent is not None:
            after[row.parent].append(row)

    def rank(row: GraphRow) -> tuple[bool, bool]:
        nodes = (nets[number].nodes[place] for number, place in row.places.items())
        entry = any(mark == ENTRY for node in nodes for mark, _ in node.attributes)
        return row.parent is not None or not entry, row in reached

    waiting, walked = sorted(rows, key=rank)[::-1], dict[GraphRow, None]()
    while waiting:
        row = waiting.pop()
        if row not in walked:
            walked[row] = None
            waiting += after[row][::-1]
    return list(walked)


def _nest(
    walked: list[GraphRow], parent: GraphRow | None, ordered: list[GraphRow]
) -> None:
    """Rows of one scope, each followed by what it holds itself."""
    for row in walked:
        if row.parent is parent:
            row.depth = 0 if parent is None else parent.depth + 1
            ordered.append(row)
            if not row.name:
                _nest(walked, row, ordered)


# Drawings on these rows.


@dataclass(frozen=True)
class _Column:
    """Common to all drawings of a unit: rows, their heights, where cards end."""

    rows: list[GraphRow]
    heights: list[int]
    edge: int

    @property
    def tops(self) -> list[int]:
        return list(
            accumulate((h + GAP for h in self.heights), initial=EDGE + GAP // 2)
        )[:-1]

    @property
    def bottom(self) -> int:
        return sum(self.heights) + GAP * len(self.heights) + 2 * EDGE

    def middle(self, row: int) -> int:
        return self.tops[row] + self.heights[row] // 2

    def left(self, row: int) -> int:
        return EDGE + self.rows[row].depth * INDENT

    def between(self, first: int, last: int) -> int:
        """A height where no arrow begins or ends, near the middle of two rows."""
        wanted = (self.middle(first) + self.middle(last)) // 2
        gaps = [self.tops[row] - GAP // 2 for row in range(first + 1, last + 1)]
        return min(gaps, key=lambda y: abs(y - wanted))

    def scope_line(self, row: int) -> str:
        """From below the card of the scope to the side of what it holds."""
        parent = self.rows[row].parent
        above = next(i for i, other in enumerate(self.rows) if other is parent)
        x = self.left(above) + INDENT // 2
        start = self.tops[above] + self.heights[above]
        return f"M{x} {start}V{self.middle(row)}H{self.left(row)}"


class _Side:
    """One graph on the shared rows."""

    def __init__(self, net: Net, rows: list[GraphRow], number: int, sign: str) -> None:
        self.sign = sign
        self.links = net.links
        self.depths = [row.depth for row in rows]
        at = {
            row.places[number]: i for i, row in enumerate(rows) if number in row.places
        }
        self.nodes = {at[place]: node for place, node in enumerate(net.nodes)}
        self.texts = {row: _card_texts(node, sign) for row, node in self.nodes.items()}
        self.ends = [(at[link.source], at[link.target]) for link in net.links]
        # Doubled, so that an arrow from a node to itself takes room beside it.
        self.levels = levels(
            [
                (2 * min(ends) - loop, 2 * max(ends) + loop)
                for ends in self.ends
                for loop in (ends[0] == ends[1],)
            ]
        )
        self.ports = self._ports()

    def _ports(self) -> dict[int, list[tuple[int, int]]]:
        """Ends of arrows by row, from the top, so that they do not cross each other.

        An end is a link and 0 or 1, for where it begins or ends.
        """
        keyed: dict[int, list[tuple[tuple[int, int], tuple[int, int]]]] = {}
        for link, ends in enumerate(self.ends):
            level = self.levels[link]
            for end in (0, 1):
                row, other = ends[end], ends[1 - end]
                if row == other:
                    key = (1, -level) if end == 0 else (2, level)
                else:
                    key = (0, level) if other < row else (3, -level)
                keyed.setdefault(row, []).append((key, (link, end)))
        return {row: [end for _, end in sorted(ends)] for row, ends in keyed.items()}

    def height(self, row: int) -> int:
        lines = max((line for line, *_ in self.texts.get(row, ())), default=0) + 1
        return max(lines * LINE + PAD, len(self.ports.get(row, ())) * PORT)

    def width(self, row: int) -> int:
        """Width of a card with what its depth takes."""
        ends = [x + wide for _, x, wide, *_ in self.texts[row]]
        return self.depths[row] * INDENT + max(ends) + 2 * PAD

    def drawing(self, column: _Column) -> GraphDrawing:
        tracks = self._tracks(column.edge)
        return GraphDrawing(
            tracks[-1] + EDGE,
            column.bottom,
            [self._card(row, column) for row in range(len(column.rows))],
            [
                column.scope_line(number)
                for number, row in enumerate(column.rows)
                if row.parent is not None and number in self.nodes
            ],
            [self._arc(link, column, tracks) for link in range(len(self.links))],
        )

    def _tracks(self, edge: int) -> list[int]:
        """Where the columns of arrows begin, and where the last one ends."""
        widths = [0] * max(self.levels, default=0)
        for link, level in zip(self.links, self.levels, strict=True):
            wide = label_width(self._link_text(link))
            widths[level - 1] = max(widths[level - 1], wide)
        return list(accumulate((w + 6 for w in widths), initial=edge + TIP))

    def _link_text(self, link: NetLink) -> str:
        if not link.wrong:
            return link.label
        return f"{OTHER if link.wrong == 'label' else self.sign} {link.label}"

    def _card(self, row: int, column: _Column) -> NodeCard:
        left, top = column.left(row), column.tops[row]
        node = self.nodes.get(row)
        texts = [
            PlacedText(left + PAD + x, top + PAD + 10 + line * LINE, text, wrong)
            for line, x, _, text, wrong in self.texts.get(row, ())
        ]
        kind = "ghost" if node is None else "only" if _alone(node) else ""
        height = column.heights[row]
        return NodeCard(left, top, column.edge - left, height, kind, texts)

    def _arc(self, number: int, column: _Column, tracks: list[int]) -> Arc:
        level, link, ends = self.levels[number], self.links[number], self.ends[number]
        edge, x = column.edge, (tracks[level - 1] + tracks[level]) // 2
        start, end = (self._port(number, side, column) for side in (0, 1))
        first, last = sorted(ends)
        y = (start + end) // 2 if first == last else column.between(first, last)
        corner = min(CORNER, abs(end - start) // 2)
        turn = corner if end > start else -corner
        names = [self.nodes[row].name or f":{self.nodes[row].id}" for row in ends]
        return Arc(
            # From the column to the right, up or down, and back.
            line=(
                f"M{edge} {start}H{x - corner}Q{x} {start} {x} {start + turn}"
                f"V{end - turn}Q{x} {end} {x - corner} {end}H{edge}"
            ),
            arrow=f"M{edge + 7} {end - 4}L{edge} {end}L{edge + 7} {end + 4}Z",
            label=ArcLabel(x, y + 4, self._link_text(link)),
            wrong="wrong-link" if link.wrong in ("missing", "exceeding") else "",
            wrong_label=bool(link.wrong),
            title=f"{link.label}({', '.join(names)})",
        )

    def _port(self, link: int, end: int, column: _Column) -> int:
        row = self.ends[link][end]
        ports = self.ports[row]
        place = ports.index((link, end))
        return column.middle(row) + (2 * place - len(ports) + 1) * PORT // 2


def _alone(node: NetNode) -> bool:
    """The other side has it in no role."""
    return bool(node.roles) and node.lacking == node.roles


CardText = tuple[int, int, int, str, str]


def _card_texts(node: NetNode, sign: str) -> list[CardText]:
    """Line, place in it, width, text and class names of each text of a card."""
    name = f"{sign} {node.name}" if _alone(node) else node.name
    whole = f"{name}:{node.id}" if node.id else name
    # A long text is cut into lines of one length.
    lines = -(-len(whole) // MOST_LETTERS)
    letters = -(-len(whole) // lines) if whole else 1
    texts = [
        (line, 0, cells(text) * LETTER, text, "name")
        for line, text in enumerate(wrap(whole, letters))
    ]
    marks = [(f"{sign} {', '.join(node.lacking)}", "lacking")] if node.lacking else []
    marks += [
        (f"{sign} .{mark}", "lacking") if roles else (f".{mark}", "mark")
        for mark, roles in node.attributes
    ]
    line, x = len(texts), 0
    for text, kind in marks:
        wide = cells(text) * MARK_LETTER
        if x and x + wide > MOST_LETTERS * LETTER:
            line, x = line + 1, 0
        texts.append((line, x, wide, text, kind))
        x += wide + PAD
    return texts
