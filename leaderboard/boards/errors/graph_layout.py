"""Graphs as cards in a column and arrows beside it; the template prints them.

A node stands at the same height in every drawing of a unit. What is wrong is told by
signs and lines as well as by colour: "−" what only gold has, "+" what it lacks, both
dashed; "≠" another relation between the same two nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from textwrap import wrap

from leaderboard.boards.errors.arcs import SMALL_LETTER, Arc, Box, Spot, cells, levels
from leaderboard.boards.errors.rows import Row, rows
from scoring.inspection import Net, NetLink, NetNode

MOST_NODES, MOST_LINKS = 60, 120
MOST_LETTERS = 30
LETTER, MARK_LETTER = 9, 8  # pixels: a letter of a name, of what stands below it
LINE, PAD, GAP, PORT, INDENT = 18, 7, 22, 9, 18
TIP, CORNER, EDGE = 18, 6, 4
MINUS, PLUS, OTHER = "\N{MINUS SIGN}", "+", "\N{NOT EQUAL TO}"


@dataclass(frozen=True)
class Card:
    """A node with its texts, or the empty place of one that only others have."""

    x: str
    y: str
    width: str
    height: str
    wrong: str
    texts: list[Spot]


@dataclass(frozen=True)
class GraphDrawing:
    """`scopes` are lines from a scope down to what it holds."""

    width: str
    height: str
    cards: list[Card]
    scopes: list[str]
    arcs: list[Arc]


def drawings(nets: Sequence[Net]) -> list[GraphDrawing | None]:
    """Gold first. None for a graph without nodes; for all if one is too large."""
    sizes = [(len(net.nodes), len(net.links)) for net in nets]
    if any(nodes > MOST_NODES or links > MOST_LINKS for nodes, links in sizes):
        return [None] * len(nets)
    shared = rows(nets)
    sides = [
        _Side(net, shared, number, MINUS if number == 0 else PLUS)
        for number, net in enumerate(nets)
    ]
    heights = [max(side.height(row) for side in sides) for row in range(len(shared))]
    edge = EDGE + max((side.width(i) for side in sides for i in side.nodes), default=0)
    column = _Column(shared, heights, edge)
    return [side.drawn(column) if side.nodes else None for side in sides]


@dataclass(frozen=True)
class _Column:
    """What all drawings of a unit share: rows, their heights, where cards end."""

    rows: list[Row]
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
        if first == last:
            return self.middle(first)
        wanted = (self.middle(first) + self.middle(last)) // 2
        gaps = [self.tops[row] - GAP // 2 for row in range(first + 1, last + 1)]
        return min(gaps, key=lambda y: abs(y - wanted))


class _Side:
    """One graph on the shared rows."""

    def __init__(self, net: Net, shared: list[Row], number: int, sign: str) -> None:
        self.sign = sign
        self.links = net.links
        self.depths = [row.depth for row in shared]
        at = {
            row.places[number]: i
            for i, row in enumerate(shared)
            if number in row.places
        }
        self.nodes = {at[place]: node for place, node in enumerate(net.nodes)}
        self.texts = {row: _texts(node, sign) for row, node in self.nodes.items()}
        self.ends = [(at[link.source], at[link.target]) for link in net.links]
        # Doubled, so that an arrow from a node to itself takes room beside it.
        self.levels = levels(
            [
                (
                    2 * min(pair) - (pair[0] == pair[1]),
                    2 * max(pair) + (pair[0] == pair[1]),
                )
                for pair in self.ends
            ]
        )
        self.ports = self._ports()

    def _ports(self) -> dict[int, list[tuple[int, int]]]:
        """Ends of arrows by row, from the top, so that they do not cross each other.

        An end is a link and 0 or 1, for where it begins or ends.
        """
        found: dict[int, list[tuple[tuple[int, int], tuple[int, int]]]] = {}
        for link, pair in enumerate(self.ends):
            level = self.levels[link]
            for end in (0, 1):
                row, other = pair[end], pair[1 - end]
                if row == other:
                    key = (1, -level) if end == 0 else (2, level)
                else:
                    key = (0, level) if other < row else (3, -level)
                found.setdefault(row, []).append((key, (link, end)))
        return {row: [end for _, end in sorted(ends)] for row, ends in found.items()}

    def height(self, row: int) -> int:
        lines = max((line for line, *_ in self.texts.get(row, ())), default=0) + 1
        return max(lines * LINE + PAD, len(self.ports.get(row, ())) * PORT)

    def width(self, row: int) -> int:
        """Of a card with what its depth takes."""
        ends = [x + wide for _, x, wide, *_ in self.texts[row]]
        return self.depths[row] * INDENT + max(ends) + 2 * PAD

    def drawn(self, column: _Column) -> GraphDrawing:
        columns = self._columns(column.edge)
        arcs = [self._arc(link, column, columns) for link in range(len(self.links))]
        cards = [self._card(row, column) for row in range(len(column.rows))]
        right = columns[-1] + EDGE
        scopes = [
            _scope_line(row, column)
            for row, one in enumerate(column.rows)
            if one.parent is not None and row in self.nodes
        ]
        return GraphDrawing(str(right), str(column.bottom), cards, scopes, arcs)

    def _columns(self, edge: int) -> list[int]:
        """Where the columns of arrows begin, and where the last one ends."""
        widths = [0] * max(self.levels, default=0)
        for link, level in zip(self.links, self.levels, strict=True):
            widths[level - 1] = max(widths[level - 1], _wide(_told(link, self.sign)))
        return list(accumulate((w + 6 for w in widths), initial=edge + TIP))

    def _card(self, row: int, column: _Column) -> Card:
        left, top = column.left(row), column.tops[row]
        node = self.nodes.get(row)
        lines = [
            Spot(str(left + PAD + x), str(top + PAD + 10 + line * LINE), text, wrong)
            for line, x, _, text, wrong in self.texts.get(row, ())
        ]
        kind = "ghost" if node is None else "only" if _alone(node) else ""
        size = str(column.edge - left), str(column.heights[row])
        return Card(str(left), str(top), *size, kind, lines)

    def _arc(self, link: int, column: _Column, columns: list[int]) -> Arc:
        level, one = self.levels[link], self.links[link]
        x = (columns[level - 1] + columns[level]) // 2
        start, end = (self._port(link, side, column) for side in (0, 1))
        text = _told(one, self.sign)
        wide = _wide(text)
        ends = self.ends[link]
        first, last = sorted(ends)
        y = column.between(first, last) if first != last else (start + end) // 2
        edge = column.edge
        return Arc(
            line=_bent(edge, x, start, end),
            arrow=f"M{edge + 7} {end - 4}L{edge} {end}L{edge + 7} {end + 4}Z",
            label=Spot(str(x), str(y + 4), text),
            box=Box(str(x - wide // 2), str(y - 9), str(wide)),
            wrong="wrong-link" if one.wrong in ("missing", "exceeding") else "",
            wrong_label=bool(one.wrong),
            title=f"{one.label}({', '.join(self._name(row) for row in ends)})",
        )

    def _name(self, row: int) -> str:
        return self.nodes[row].name or f":{self.nodes[row].id}"

    def _port(self, link: int, end: int, column: _Column) -> int:
        row = self.ends[link][end]
        ports = self.ports[row]
        place = ports.index((link, end))
        return column.middle(row) + (2 * place - len(ports) + 1) * PORT // 2


def _bent(edge: int, x: int, start: int, end: int) -> str:
    """From the column to the right, up or down, and back."""
    corner = min(CORNER, abs(end - start) // 2)
    turn = corner if end > start else -corner
    return (
        f"M{edge} {start}H{x - corner}Q{x} {start} {x} {start + turn}V{end - turn}"
        f"Q{x} {end} {x - corner} {end}H{edge}"
    )


def _told(link: NetLink, sign: str) -> str:
    if not link.wrong:
        return link.label
    return f"{OTHER if link.wrong == 'label' else sign} {link.label}"


def _wide(text: str) -> int:
    return cells(text) * SMALL_LETTER + 10


def _scope_line(row: int, column: _Column) -> str:
    """From below the card of the scope to the side of what it holds."""
    parent = column.rows[row].parent
    above = next(i for i, one in enumerate(column.rows) if one is parent)
    x, start = (
        column.left(above) + INDENT // 2,
        column.tops[above] + column.heights[above],
    )
    return f"M{x} {start}V{column.middle(row)}H{column.left(row)}"


def _even(text: str) -> int:
    """Letters of a line when a long text is cut into lines of one length."""
    return -(-len(text) // -(-len(text) // MOST_LETTERS)) if text else 1


def _alone(node: NetNode) -> bool:
    """Whether the other side has it in no role."""
    return bool(node.roles) and node.lacking == node.roles


Text = tuple[int, int, int, str, str]


def _texts(node: NetNode, sign: str) -> list[Text]:
    """Line, place in it, width, text and class names of each text of a card."""
    name = f"{sign} {node.name}" if _alone(node) else node.name
    whole = f"{name}:{node.id}" if node.id else name
    found = [
        (line, 0, cells(text) * LETTER, text, "name")
        for line, text in enumerate(wrap(whole, _even(whole)))
    ]
    told = [(f"{sign} {', '.join(node.lacking)}", "lacking")] if node.lacking else []
    told += [
        (f"{sign} .{mark}", "lacking") if roles else (f".{mark}", "mark")
        for mark, roles in node.attributes
    ]
    line, x = len(found), 0
    for text, kind in told:
        wide = cells(text) * MARK_LETTER
        if x and x + wide > MOST_LETTERS * LETTER:
            line, x = line + 1, 0
        found.append((line, x, wide, text, kind))
        x += wide + PAD
    return found
