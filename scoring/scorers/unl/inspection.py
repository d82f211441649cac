"""UNL graphs of both sides for the error browser, with what only one of them has."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from scoring.formats.codes import of_texts
from scoring.inspection import (
    Inspection,
    ItemTable,
    Layers,
    Net,
    NetLink,
    NetNode,
    Picture,
)
from scoring.messages import Messages, _
from scoring.scorers.unl import reader
from scoring.scorers.unl.discrepancy import GraphItems, PlacedItems, place_items
from scoring.scorers.unl.reader import Graph, Sentence, Unreadable
from scoring.scorers.unl.sentences import SentenceVerdict, flags_of, kinds_of

MESSAGES = Messages(
    missing=_("missing sentence"),
    empty=_("empty expression"),
)

Item = TypeVar("Item")
Pair = tuple[Sentence | None, Sentence | None]
Key = tuple[str, str]
EMPTY_GRAPH = Graph((), ())
MISSING, EXCEEDING, RELABELLED = "missing", "exceeding", "label"


def nets(pair: Pair, ignored: Collection[str]) -> tuple[Net, Net]:
    """Both graphs of a sentence, gold first; one that cannot be read is empty."""
    gold, system = (_graph_or_empty(sentence) for sentence in pair)
    expected, answered = place_items(gold, ignored), place_items(system, ignored)
    return (
        _net(gold, lacking(expected, answered), MISSING),
        _net(system, lacking(answered, expected), EXCEEDING),
    )


@dataclass(frozen=True)
class Lacking:
    """Items of one graph that the other one lacks, and what it has in their stead."""

    own: PlacedItems
    relabelled: frozenset[tuple[str, str]]


def lacking(own: PlacedItems, other: PlacedItems) -> Lacking:
    """Items beyond those that the other graph has as well; equal ids are met first."""
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
    for item, name in sorted(own, key=lambda item: (item not in other, item[1])):
        if left[item]:
            left[item] -= 1
        else:
            yield item, name


def _graph_or_empty(sentence: Sentence | None) -> Graph:
    try:
        return parse_graph(sentence)
    except Unreadable:
        return EMPTY_GRAPH


def parse_graph(sentence: Sentence | None) -> Graph:
    """The graph of a sentence. Raises Unreadable when there is none."""
    if sentence is None:
        raise Unreadable(MESSAGES("missing"))
    if sentence.graph is None:
        raise Unreadable(MESSAGES("empty"))
    return reader.parse(sentence.graph.text)


def _net(graph: Graph, lacking: Lacking, kind: str) -> Net:
    """Nodes in the order of the file; relations written twice in one place are one."""
    written: dict[Key, list[tuple[str, reader.UnlNode]]] = {}
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
            _wrong_link(r, lacking, kind),
        )
        for r in graph.relations
    )
    nodes = (_node(written[key], scopes.get(key, ""), lacking.own) for key in written)
    return Net(tuple(nodes), tuple(links))


def _label(relation: reader.Relation) -> str:
    """The label as it is written: agt, or or:01 inside a scope."""
    return f"{relation.label}:{relation.scope}" if relation.scope else relation.label


def _wrong_link(relation: reader.Relation, lacking: Lacking, kind: str) -> str:
    ends = relation.source.uw, relation.target.uw
    if (relation.label, *ends) not in lacking.own.relations:
        return ""
    return RELABELLED if ends in lacking.relabelled else kind


def _node(
    written: list[tuple[str, reader.UnlNode]], scope: str, lacking: PlacedItems
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


GRAPH_COLUMNS = ("what", "item", "gold_times", "system_times")
SENTENCE = "sentence"


class ComparedGraphs(SentenceVerdict, Protocol):
    """Verdict on a sentence, and the items of its two graphs."""

    @property
    def gold(self) -> GraphItems: ...
    @property
    def system(self) -> GraphItems: ...


@dataclass(frozen=True)
class ItemCount:
    """An item, how often it stands in gold and in the answer, and its relation."""

    what: str
    text: str
    gold: int
    system: int
    relation: str = ""


def inspect_graphs(
    sentences: Sequence[ComparedGraphs], drawn: Callable[[int], tuple[Net, Net]]
) -> Inspection:
    """An item per sentence, and one per different relation, UW and attribute of it.
    `drawn` has the two graphs of a sentence, which only its picture needs."""
    entries = [list(_entries(sentence)) for sentence in sentences]
    flat = [(i, entry) for i, own in enumerate(entries) for entry in own]
    sizes = [len(sentence.gold.relations) for sentence in sentences]
    return Inspection(
        np.array(sizes, dtype=np.int64),
        np.array([i for i, _ in flat], dtype=np.int64),
        flags_of([_wrong(sentences[i], entry) for i, entry in flat]),
        lambda unit: _graph(sentences[unit], entries[unit], drawn(unit)),
        lambda: _relations([entry for _, entry in flat]),
    )


def _relations(entries: list[ItemCount]) -> Layers:
    gold, system = (
        of_texts([e.relation if getattr(e, side) else "" for e in entries])
        for side in ("gold", "system")
    )
    return {"relation": (gold, system)}


def _wrong(sentence: ComparedGraphs, entry: ItemCount) -> tuple[str, ...]:
    if entry.what == SENTENCE:
        return kinds_of(sentence)
    less, more = entry.gold > entry.system, entry.system > entry.gold
    return ("missing",) * less + ("exceeding",) * more


def _entries(sentence: ComparedGraphs) -> Iterator[ItemCount]:
    yield ItemCount(SENTENCE, sentence.why, 1, int(not sentence.why))
    for what in ("relations", "uws", "attributes"):
        gold: Counter[tuple[str, ...]] = getattr(sentence.gold, what)
        system: Counter[tuple[str, ...]] = getattr(sentence.system, what)
        for item in sorted({*gold, *system}):
            relation = item[0] if what == "relations" else ""
            yield ItemCount(
                what, _written(what, item), gold[item], system[item], relation
            )


def _written(what: str, item: tuple[str, ...]) -> str:
    """agt(drift, boat); source: boat; source: boat.@pl"""
    if what == "relations":
        return f"{item[0]}({item[1]}, {item[2]})"
    if what == "uws":
        return f"{item[0]}: {item[1]}"
    return f"{item[0]}: {item[1]}.{item[2]}"


def _graph(
    sentence: ComparedGraphs, entries: list[ItemCount], nets: tuple[Net, Net]
) -> Picture:
    rows = tuple((e.what, e.text, e.gold, e.system) for e in entries)
    marks = tuple(_wrong(sentence, entry) for entry in entries)
    sides = (
        tuple(e.text for e in entries[1:] if e.gold),
        tuple(e.text for e in entries[1:] if e.system),
    )
    return Picture(ItemTable(GRAPH_COLUMNS, rows, marks), lines=sides, nets=nets)
