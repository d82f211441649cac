"""Drawings of one unit at whole pixels: trees as arcs over words, graphs as arrows.

A graph is a column of cards with arrows beside it; a node stands at the same height in
every drawing of a unit. Only positions are computed here, the template draws.

Errors are told by shapes and signs as well as by colour: a wrong head is a dashed arc,
a wrong label stands in a box, a word without partner is crossed out; in graphs "−" is
what only gold has, "+" what it lacks, both dashed, and "≠" another relation between
the same two nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from textwrap import wrap
from unicodedata import combining, east_asian_width

from scoring.inspection import OUTSIDE, ROOT, Net, NetLink, NetNode, TreeWord

LETTER, SMALL_LETTER = 9, 8  # pixels: of a word or name, of a label or mark
MINUS, PLUS, OTHER = "\N{MINUS SIGN}", "+", "\N{NOT EQUAL TO}"


@dataclass(frozen=True)
class PlacedText:
    """A text at a place; `kind` are class names."""

    x: int
    y: int
    text: str
    kind: str = ""


@dataclass(frozen=True)
class Arc:
    """A line with its arrow, and a label in a box around (x, y).

    `title` says it in full where the ends may be far apart.
    """

    line: str
    arrow: str
    label: str
    x: int
    y: int
    wrong: str
    wrong_label: bool
    title: str = ""

    @property
    def width(self) -> int:
        return label_width(self.label)

    @property
    def left(self) -> int:
        return self.x - self.width // 2

    @property
    def top(self) -> int:
        return self.y - 13


@dataclass(frozen=True)
class Card:
    """A node with its texts, or the empty place of one that only others have."""

    x: int
    y: int
    width: int
    height: int
    kind: str
    texts: list[PlacedText]


@dataclass(frozen=True)
class Drawing:
    """A tree has words, a graph has cards; `scopes` lead from a scope to its parts."""

    width: int
    height: int
    arcs: list[Arc]
    words: list[PlacedText] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    scopes: list[str] = field(default_factory=list)


def cells(text: str) -> int:
    """The width of a text in letters; ideographs take two."""
    wide = sum(east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(bool(combining(letter)) for letter in text)


def label_width(text: str) -> int:
    return cells(text) * SMALL_LETTER + 10


def levels(ends: Sequence[tuple[int, int]]) -> list[int]:
    """Levels of arcs from 1 on: each above all shorter ones that it meets.

    0 where both ends are one.
    """
    spans = [(min(pair), max(pair)) for pair in ends]
    heights = [0] * len(spans)
    for place in sorted(range(len(spans)), key=lambda p: spans[p][1] - spans[p][0]):
        left, right = spans[place]
        if left != right:
            done = zip(spans, heights, strict=True)
            under = [h for (a, b), h in done if h and a < right and left < b]
            heights[place] = 1 + max(under, default=0)
    return heights


# Trees: words in a row, their heads by arcs above it.

MOST_WORDS = 150
WORD_GAP, LEAST_WORD = 22, 40  # pixels: between words, of the shortest word
STEP, ARC_CORNER, APART, ROOM = 26, 8, 5, 16
FOOT = 34  # for the words below the arcs


def tree_drawing(words: Sequence[TreeWord]) -> Drawing | None:
    """The drawing of a tree; None for no words, or for more than can be drawn."""
    if not words or len(words) > MOST_WORDS:
        return None
    widths = [_word_width(word) + WORD_GAP for word in words]
    edges = list(accumulate(widths, initial=WORD_GAP // 2))
    centres = [edge + width // 2 for edge, width in zip(edges, widths, strict=False)]
    heads = [
        place if word.head in (ROOT, OUTSIDE) else word.head - 1
        for place, word in enumerate(words)
    ]
    heights = levels(list(enumerate(heads)))
    # Stubs, which have both ends at their word, end above all arcs.
    highest = 1 + max(heights)
    base = max(height or highest for height in heights) * STEP + ROOM
    arcs = [
        _tree_arc(word, centres[head], x, base - (height or highest) * STEP, base)
        for word, head, x, height in zip(words, heads, centres, heights, strict=True)
    ]
    texts = [
        PlacedText(x, base + 22, word.form, "alone" if "word" in word.wrong else "")
        for x, word in zip(centres, words, strict=True)
    ]
    return Drawing(edges[-1] + WORD_GAP // 2, base + FOOT, arcs, texts)


def _word_width(word: TreeWord) -> int:
    form, relation = cells(word.form) * LETTER, cells(word.relation) * SMALL_LETTER
    return max(form, relation, LEAST_WORD)


def _tree_arc(word: TreeWord, start: int, x: int, top: int, base: int) -> Arc:
    """An arc from the head at `start` to the word at `x`, or a stub down to the
    word."""
    middle, line = x, f"M{x} {top}V{base}"
    if start != x:
        side = 1 if x > start else -1
        first = start + side * APART
        middle = (first + x) // 2
        line = (
            f"M{first} {base}V{top + ARC_CORNER}"
            f"Q{first} {top} {first + side * ARC_CORNER} {top}"
            f"H{x - side * ARC_CORNER}Q{x} {top} {x} {top + ARC_CORNER}V{base}"
        )
    return Arc(
        line,
        f"M{x - 4} {base - 7}L{x} {base}L{x + 4} {base - 7}Z",
        word.relation if word.head != OUTSIDE else f"{word.relation} …",
        middle,
        top + 4,
        " ".join(f"wrong-{k}" for k in word.wrong if k in ("head", "word")),
        "label" in word.wrong,
    )


# Rows of graphs: nodes of several graphs at one height, and their order.

ENTRY = "@entry"


@dataclass(eq=False)
class GraphRow:
    """Nodes taken for one another: by graph, their places in it.

    `parent` is the row of the scope that they lie in. `top` and `height` are known
    when all graphs are.
    """

    name: str
    id: str
    places: dict[int, int]
    parent: "GraphRow | None" = None
    top: int = 0
    height: int = 0

    @property
    def scopes(self) -> "list[GraphRow]":
        """The scopes around it, the outermost first, and itself.

        Empty where scopes hold each other.
        """
        chain = [self]
        while chain[-1].parent is not None:
            if chain[-1].parent in chain:
                return []
            chain.append(chain[-1].parent)
        return chain[::-1]

    @property
    def indent(self) -> int:
        return (len(self.scopes) - 1) * INDENT

    @property
    def left(self) -> int:
        return EDGE + self.indent

    @property
    def middle(self) -> int:
        return self.top + self.height // 2

    @property
    def scope_line(self) -> str:
        """A line from below the card of the scope to the side of what it holds."""
        assert self.parent is not None
        x = self.parent.left + INDENT // 2
        start = self.parent.top + self.parent.height
        return f"M{x} {start}V{self.middle}H{self.left}"


RowOfNode = dict[tuple[int, int], GraphRow]  # by graph and place in it


def graph_rows(nets: Sequence[Net]) -> list[GraphRow]:
    """A row per node: entries, then the others as written, parts behind their scope."""
    rows = _rows_of_nodes(nets)
    at = {(net, place): row for row in rows for net, place in row.places.items()}
    for row in rows:
        row.parent = _scope(nets, row, at)
    rows.sort(key=lambda row: not _is_entry(nets, row))
    order = {row: place for place, row in enumerate(rows)}
    nested = [row for row in rows if row.scopes]
    nested.sort(key=lambda row: [order[scope] for scope in row.scopes])
    circular = [row for row in rows if not row.scopes]
    for row in circular:
        row.parent = None
    return nested + circular


def _is_entry(nets: Sequence[Net], row: GraphRow) -> bool:
    nodes = (nets[number].nodes[place] for number, place in row.places.items())
    return any(mark == ENTRY for node in nodes for mark, _ in node.attributes)


def _rows_of_nodes(nets: Sequence[Net]) -> list[GraphRow]:
    """Nodes of one name meet, those with the same id first."""
    rows: list[GraphRow] = []
    for number, net in enumerate(nets):
        waiting = dict(enumerate(net.nodes))
        for exact in (True, False):
            for place, node in list(waiting.items()):
                for row in rows:
                    same = row.name == node.name and (row.id == node.id or not exact)
                    if same and number not in row.places:
                        row.places[number] = place
                        del waiting[place]
                        break
        rows += [GraphRow(n.name, n.id, {number: p}) for p, n in waiting.items()]
    return rows


def _scope(nets: Sequence[Net], row: GraphRow, at: RowOfNode) -> GraphRow | None:
    """The row of the scope that its first node lies in."""
    number, place = next(iter(row.places.items()))
    scope = nets[number].nodes[place].scope
    for other, node in enumerate(nets[number].nodes):
        if scope and not node.name and node.id == scope:
            return at[number, other]
    return None


# Graphs on these rows.

MOST_NODES, MOST_LINKS = 60, 120
MOST_LETTERS = 30
LINE, PAD, CARD_GAP, PORT, INDENT = 18, 7, 22, 9, 18
TIP, TRACK_CORNER, EDGE = 18, 6, 4


def graph_drawings(nets: Sequence[Net]) -> list[Drawing | None]:
    """Gold first. None for a graph without nodes; for all if one is too large."""
    if any(len(n.nodes) > MOST_NODES or len(n.links) > MOST_LINKS for n in nets):
        return [None] * len(nets)
    rows = graph_rows(nets)
    sides = [_GraphSide(net, rows, number) for number, net in enumerate(nets)]
    top = EDGE + CARD_GAP // 2
    for place, row in enumerate(rows):
        row.top, row.height = top, max(side.height(place) for side in sides)
        top += row.height + CARD_GAP
    edge = EDGE + max((side.width for side in sides), default=0)
    bottom = top - CARD_GAP // 2 + EDGE
    return [side.drawing(edge, bottom) if side.nodes else None for side in sides]


class _GraphSide:
    """One graph on the shared rows, which are told by their places."""

    def __init__(self, net: Net, rows: list[GraphRow], number: int) -> None:
        self.rows, self.links = rows, net.links
        self.sign = MINUS if number == 0 else PLUS
        at = {
            row.places[number]: i for i, row in enumerate(rows) if number in row.places
        }
        self.nodes = {at[place]: node for place, node in enumerate(net.nodes)}
        self.texts = {
            at: _card_texts(node, self.sign) for at, node in self.nodes.items()
        }
        self.ends = [(at[link.source], at[link.target]) for link in net.links]
        # Doubled, so that an arrow from a node to itself takes room beside it.
        spans = [
            (2 * min(ends) - (ends[0] == ends[1]), 2 * max(ends) + (ends[0] == ends[1]))
            for ends in self.ends
        ]
        self.levels = levels(spans)
        # Ends of arrows by row from the top: a link, and 0 or 1 for its begin or end.
        self.ports: dict[int, list[tuple[int, int]]] = {}
        ports = [(link, end) for link in range(len(self.links)) for end in (0, 1)]
        for link, end in sorted(ports, key=self._port_order):
            self.ports.setdefault(self.ends[link][end], []).append((link, end))

    def _port_order(self, port: tuple[int, int]) -> tuple[int, int]:
        """The place of a port among others, such that arrows do not cross: those to
        rows above come first."""
        link, end = port
        level, row, other = (
            self.levels[link],
            self.ends[link][end],
            self.ends[link][~end],
        )
        if row == other:
            return (1, -level) if end == 0 else (2, level)
        return (0, level) if other < row else (3, -level)

    def height(self, row: int) -> int:
        lowest = max((text.y for text in self.texts.get(row, ())), default=0)
        return max(lowest + LINE + PAD, len(self.ports.get(row, ())) * PORT)

    @property
    def width(self) -> int:
        """Width of the widest card with its indent."""
        ends = (
            self.rows[row].indent + text.x + _width(text) + 2 * PAD
            for row, texts in self.texts.items()
            for text in texts
        )
        return max(ends, default=0)

    def drawing(self, edge: int, bottom: int) -> Drawing:
        """Cards end at `edge`, arrows begin and end there."""
        widths = [0] * max(self.levels, default=0)
        for link, level in zip(self.links, self.levels, strict=True):
            width = label_width(self._link_text(link)) + 6
            widths[level - 1] = max(widths[level - 1], width)
        tracks = list(accumulate(widths, initial=edge + TIP))
        middles = [(left + right) // 2 for left, right in pairwise(tracks)]
        return Drawing(
            tracks[-1] + EDGE,
            bottom,
            [self._arc(n, edge, middles[lv - 1]) for n, lv in enumerate(self.levels)],
            cards=[self._card(place, edge) for place in range(len(self.rows))],
            scopes=[
                row.scope_line
                for place, row in enumerate(self.rows)
                if row.parent is not None and place in self.nodes
            ],
        )

    def _link_text(self, link: NetLink) -> str:
        if not link.wrong:
            return link.label
        return f"{OTHER if link.wrong == 'label' else self.sign} {link.label}"

    def _card(self, place: int, edge: int) -> Card:
        row, node = self.rows[place], self.nodes.get(place)
        texts = [
            replace(text, x=row.left + PAD + text.x, y=row.top + PAD + 10 + text.y)
            for text in self.texts.get(place, ())
        ]
        kind = "ghost" if node is None else "only" if _alone(node) else ""
        return Card(row.left, row.top, edge - row.left, row.height, kind, texts)

    def _arc(self, number: int, edge: int, x: int) -> Arc:
        """An arc from the column to the right, up or down at `x`, and back."""
        link, ends = self.links[number], self.ends[number]
        start, end = (self._port_height(number, side) for side in (0, 1))
        corner = min(TRACK_CORNER, abs(end - start) // 2)
        turn = corner if end > start else -corner
        names = [self.nodes[row].name or f":{self.nodes[row].id}" for row in ends]
        return Arc(
            f"M{edge} {start}H{x - corner}Q{x} {start} {x} {start + turn}"
            f"V{end - turn}Q{x} {end} {x - corner} {end}H{edge}",
            f"M{edge + 7} {end - 4}L{edge} {end}L{edge + 7} {end + 4}Z",
            self._link_text(link),
            x,
            self._label_height(number, (start + end) // 2) + 4,
            "wrong-link" if link.wrong in ("missing", "exceeding") else "",
            bool(link.wrong),
            f"{link.label}({', '.join(names)})",
        )

    def _label_height(self, number: int, middle: int) -> int:
        """A height where no arrow begins or ends, near the middle of two rows."""
        first, last = sorted(self.ends[number])
        if first == last:
            return middle
        wanted = (self.rows[first].middle + self.rows[last].middle) // 2
        gaps = [row.top - CARD_GAP // 2 for row in self.rows[first + 1 : last + 1]]
        return min(gaps, key=lambda y: abs(y - wanted))

    def _port_height(self, link: int, end: int) -> int:
        place = self.ends[link][end]
        ports = self.ports[place]
        steps = 2 * ports.index((link, end)) - len(ports) + 1
        return self.rows[place].middle + steps * PORT // 2


def _alone(node: NetNode) -> bool:
    """The other side has it in no role."""
    return bool(node.roles) and node.lacking == node.roles


def _card_texts(node: NetNode, sign: str) -> list[PlacedText]:
    """Texts of a card by their distance from its first one: name, then marks."""
    name = f"{sign} {node.name}" if _alone(node) else node.name
    whole = f"{name}:{node.id}" if node.id else name
    # A long text is cut into lines of one length.
    lines = -(-len(whole) // MOST_LETTERS)
    letters = -(-len(whole) // lines) if whole else 1
    texts = [
        PlacedText(0, line * LINE, text, "name")
        for line, text in enumerate(wrap(whole, letters))
    ]
    marks = [(f"{sign} {', '.join(node.lacking)}", "lacking")] if node.lacking else []
    marks += [
        (f"{sign} .{mark}", "lacking") if roles else (f".{mark}", "mark")
        for mark, roles in node.attributes
    ]
    x, y = 0, len(texts) * LINE
    for text, kind in marks:
        placed = PlacedText(x, y, text, kind)
        if x and x + _width(placed) > MOST_LETTERS * LETTER:
            x, y = 0, y + LINE
            placed = PlacedText(x, y, text, kind)
        texts.append(placed)
        x += _width(placed) + PAD
    return texts


def _width(text: PlacedText) -> int:
    return cells(text.text) * (LETTER if text.kind == "name" else SMALL_LETTER)
