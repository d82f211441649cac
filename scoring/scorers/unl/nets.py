"""A pair of graphs to be drawn, marked with what the counts say one of them lacks."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeVar

from scoring.formats import unl_graph
from scoring.formats.unl import Sentence
from scoring.formats.unl_graph import Graph, Unreadable
from scoring.inspecting import Net, NetLink, NetNode
from scoring.scorers.unl import reading
from scoring.scorers.unl.discrepancy import PlacedItems, placed

Item = TypeVar("Item")
Pair = tuple[Sentence | None, Sentence | None]
Key = tuple[str, str]
NOTHING = Graph((), ())
MISSING, EXCEEDING, RELABELLED = "missing", "exceeding", "label"


def nets(pair: Pair, ignored: Collection[str]) -> tuple[Net, Net]:
    """Both graphs of a sentence, gold first; one that cannot be read is empty."""
    gold, system = (_graph(sentence) for sentence in pair)
    found = placed(gold, ignored), placed(system, ignored)
    return (
        _net(gold, lacking(found[0], found[1]), MISSING),
        _net(system, lacking(found[1], found[0]), EXCEEDING),
    )


@dataclass(frozen=True)
class Lacking:
    """Items of one graph that the other one lacks, and what it has in their stead."""

    own: PlacedItems
    relabelled: frozenset[tuple[str, str]]


def lacking(own: PlacedItems, other: PlacedItems) -> Lacking:
    """As many of each item as the other graph has are met, those with its ids first."""
    relations = own.relations - other.relations
    between = {relation[1:] for relation in other.relations - own.relations}
    return Lacking(
        PlacedItems(
            relations,
            frozenset(_unmet(own.uws, other.uws)),
            frozenset(_unmet(own.attributes, other.attributes)),
        ),
        frozenset(relation[1:] for relation in relations if relation[1:] in between),
    )


def _unmet(
    own: Collection[tuple[Item, str]], other: Collection[tuple[Item, str]]
) -> Iterable[tuple[Item, str]]:
    left = Counter(item for item, _ in other)
    for item, name in sorted(own, key=lambda one: (one not in other, one[1])):
        if left[item]:
            left[item] -= 1
        else:
            yield item, name


def _graph(sentence: Sentence | None) -> Graph:
    try:
        return reading.parsed(sentence)
    except Unreadable:
        return NOTHING


def _net(graph: Graph, found: Lacking, kind: str) -> Net:
    """Nodes in the order of the file; relations written twice in one place are one."""
    written: dict[Key, list[tuple[str, unl_graph.UnlNode]]] = {}
    for role, node in graph.roles():
        written.setdefault(node.key, []).append((role, node))
    scopes: dict[Key, str] = {}
    for relation in graph.relations:
        for node in (relation.source, relation.target):
            scopes.setdefault(node.key, relation.scope)
    places = {key: place for place, key in enumerate(written)}
    links = dict.fromkeys(
        NetLink(
            places[r.source.key],
            places[r.target.key],
            _label(r),
            _wrong(r, found, kind),
        )
        for r in graph.relations
    )
    nodes = (_node(written[key], scopes.get(key, ""), found.own) for key in written)
    return Net(tuple(nodes), tuple(links))


def _label(relation: unl_graph.Relation) -> str:
    """As it is written: agt, or or:01 inside a scope."""
    return f"{relation.label}:{relation.scope}" if relation.scope else relation.label


def _wrong(relation: unl_graph.Relation, found: Lacking, kind: str) -> str:
    ends = relation.source.uw, relation.target.uw
    if (relation.label, *ends) not in found.own.relations:
        return ""
    return RELABELLED if ends in found.relabelled else kind


def _node(
    written: list[tuple[str, unl_graph.UnlNode]], scope: str, lacking: PlacedItems
) -> NetNode:
    """A node out of all the places where it stands, with its role in each."""
    uw, name = written[0][1].key
    roles = dict.fromkeys(role for role, _ in written)
    marks = dict.fromkeys(mark for _, node in written for mark in node.attributes)
    lost = {
        mark: tuple(r for r in roles if ((r, uw, mark), name) in lacking.attributes)
        for mark in marks
    }
    is_scope = written[0][1].is_scope
    return NetNode(
        "" if is_scope else uw,
        name,
        "" if is_scope and scope == name else scope,
        tuple(roles),
        tuple(role for role in roles if ((role, uw), name) in lacking.uws),
        tuple(lost.items()),
    )
