"""UNL expressions: relations between nodes, or one UW (SCORING.md, `unl-graph`)."""

import re
from dataclasses import dataclass
from functools import lru_cache

from scoring.formats.text import shown

LABEL = re.compile(r"([A-Za-z]\w*)\s*(?::\s*(\w+)\s*)?\(")
PAIRS = re.compile(r'"[^"]*"|[(),"]')
SINGLE = re.compile(r"\[W(?::[^\[\]\n]*)?\]([^\[\]]*)\[/W\]")
ID = re.compile(r"\w+")
ATTRIBUTE = re.compile(r"[^\s@\"(),]+")
CONSTRAINT = re.compile(r"\s*[a-z]{2,3}\s*[<>]")
MOST_CHARACTERS = 100_000
SCOPE_UW = ":scope"
SOURCE, TARGET, LONE = "source", "target", "single"


class Unreadable(ValueError):
    """The expression is no graph; the text says why."""


@dataclass(frozen=True, slots=True)
class UnlNode:
    """`uw` is SCOPE_UW in a scope used as a node, whose `id` is the scope's."""

    uw: str
    id: str
    attributes: tuple[str, ...] = ()

    @property
    def is_scope(self) -> bool:
        return self.uw == SCOPE_UW

    @property
    def key(self) -> tuple[str, str]:
        return self.uw, self.id


@dataclass(frozen=True, slots=True)
class Relation:
    label: str
    scope: str
    source: UnlNode
    target: UnlNode


@dataclass(frozen=True, slots=True)
class Graph:
    """Relations and single UWs of one sentence."""

    relations: tuple[Relation, ...]
    singles: tuple[UnlNode, ...]

    def roles(self) -> list[tuple[str, UnlNode]]:
        """Every node as it is written, with its role."""
        found = [(LONE, node) for node in self.singles]
        for relation in self.relations:
            found += [(SOURCE, relation.source), (TARGET, relation.target)]
        return found

    def is_connected(self) -> bool:
        """All nodes in one component; a scope is linked to what it contains."""
        links: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for node in self.singles:
            links.setdefault(node.key, [])
        for relation in self.relations:
            source = relation.source.key
            others = [relation.target.key]
            others += [(SCOPE_UW, relation.scope)] * bool(relation.scope)
            for other in others:
                links.setdefault(source, []).append(other)
                links.setdefault(other, []).append(source)
        reached: set[tuple[str, str]] = set()
        waiting = list(links)[:1]
        while waiting:
            key = waiting.pop()
            if key not in reached:
                reached.add(key)
                waiting += links[key]
        return len(reached) == len(links)


def parse(expression: str) -> Graph:
    """The graph between {unl} and {/unl}.

    Raises Unreadable when it is empty or endless, or something in it is neither a
    relation of two nodes nor a single UW.
    """
    text = expression.strip()
    if not text:
        raise Unreadable("empty expression")
    if len(text) > MOST_CHARACTERS:
        raise Unreadable(f"longer than {MOST_CHARACTERS:,} characters")
    if _is_bare(text):
        return Graph((), (_node(text),))
    singles = tuple(_node(found[1]) for found in SINGLE.finditer(text))
    return Graph(tuple(_relations(SINGLE.sub(" ", text))), singles)


def _relations(text: str) -> list[Relation]:
    found = []
    place = _skip_space(text, 0)
    while place < len(text):
        label = LABEL.match(text, place)
        if label is None:
            at = shown(text[place:])
            raise Unreadable(f"expected relation(node, node) at '{at}'")
        parts, end = _parts(text, label.end())
        if len(parts) != 2:
            at = shown(text[place:])
            raise Unreadable(f"a relation needs two nodes: '{at}'")
        source, target = map(_node, parts)
        found.append(Relation(label[1], label[2] or "", source, target))
        place = _skip_space(text, end)
    return found


def _skip_space(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _parts(text: str, begin: int) -> tuple[list[str], int]:
    """What commas part up to the closing parenthesis, and the place behind it.

    No parts where it never closes.
    """
    depth, parts, start = 1, [], begin
    for mark in PAIRS.finditer(text, begin):
        if mark[0] == "(":
            depth += 1
        elif mark[0] == ")":
            depth -= 1
        elif mark[0] == '"':
            break
        if depth == 0 or (depth == 1 and mark[0] == ","):
            parts.append(text[start : mark.start()])
            start = mark.end()
        if depth == 0:
            return parts, start
    return [], len(text)


def _is_bare(text: str) -> bool:
    """A node by itself: no parentheses, or only those of a constraint list."""
    if "\n" in text or "[W" in text or "[/W" in text:
        return False
    marks = (mark for mark in PAIRS.finditer(text) if mark[0][0] != '"')
    first = next(marks, None)
    if first is None:
        return True
    if first[0] != "(":
        return False
    parts, end = _parts(text, first.end())
    behind = text[end:].lstrip()
    alone = not behind or (behind[0] in ":." and "(" not in behind)
    return alone and bool(parts) and all(map(CONSTRAINT.match, parts))


@lru_cache(maxsize=512)
def _node(text: str) -> UnlNode:
    """A node of `UW[:id].@attribute...` or `:scope.@attribute...`.

    White space inside a UW is collapsed: a line may be broken anywhere.
    """
    text = " ".join(text.split())
    quoted = text.rfind('"') + 1
    head, *attributes = text[quoted:].split(".@")
    uw, colon, name = (text[:quoted] + head).rpartition(":")
    if not colon or not ID.fullmatch(name.strip()):
        uw, name = text[:quoted] + head, ""
    attributes = [attribute.strip() for attribute in attributes]
    wrong = not all(map(ATTRIBUTE.fullmatch, attributes))
    if wrong or text.count('"') % 2 or not (uw.strip() or name):
        raise Unreadable(f"expected a UW at '{shown(text)}'")
    found = tuple("@" + attribute for attribute in attributes)
    return UnlNode(uw.strip() or SCOPE_UW, name.strip(), found)
