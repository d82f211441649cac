"""Discrepancy of two UNL graphs: comparable items, how many only one side has."""

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from typing import TypeVar

from scoring.scorers.unl.reader import Graph

Item = TypeVar("Item")
RELATION_LIMIT, UW_LIMIT, OVERALL_LIMIT = (3, 10), (3, 10), (1, 2)


@dataclass(frozen=True)
class GraphItems:
    """Items of a graph that are compared.

    `relations` are (label, source UW, target UW); `uws` (role, UW), once per node and
    role; `attributes` (role, UW, attribute), also of scopes.
    """

    relations: Counter[tuple[str, str, str]]
    uws: Counter[tuple[str, str]]
    attributes: Counter[tuple[str, str, str]]


NOTHING = GraphItems(Counter(), Counter(), Counter())


@dataclass(frozen=True)
class PlacedItems:
    """Items of a graph with the id of the node at which each stands.

    A relation is one item however often it is written.
    """

    relations: frozenset[tuple[str, str, str]]
    uws: frozenset[tuple[tuple[str, str], str]]
    attributes: frozenset[tuple[tuple[str, str, str], str]]


def place_items(graph: Graph, ignored: Container[str]) -> PlacedItems:
    """The items of a graph, `ignored` attributes left out."""
    roles = graph.roles()
    return PlacedItems(
        frozenset((r.label, r.source.uw, r.target.uw) for r in graph.relations),
        frozenset(
            ((role, node.uw), node.id) for role, node in roles if not node.is_scope
        ),
        frozenset(
            ((role, node.uw, attribute), node.id)
            for role, node in roles
            for attribute in node.attributes
            if attribute not in ignored
        ),
    )


def items(graph: Graph, ignored: Container[str]) -> GraphItems:
    """Counts of each item in a graph, `ignored` attributes left out."""
    own = place_items(graph, ignored)
    return GraphItems(
        Counter(own.relations),
        Counter(item for item, _ in own.uws),
        Counter(item for item, _ in own.attributes),
    )


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """Items of one kind: only in the answer, only in the gold, in both together."""

    exceeding: int
    missing: int
    total: int

    @property
    def apart(self) -> int:
        return self.exceeding + self.missing


def difference(answer: Counter[Item], gold: Counter[Item]) -> ItemDifference:
    """Multisets compared."""
    if answer == gold:
        return ItemDifference(0, 0, 2 * gold.total())
    total = answer.total() + gold.total()
    return ItemDifference((answer - gold).total(), (gold - answer).total(), total)


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """The three differences of a sentence; each ratio is (apart, total)."""

    relations: ItemDifference
    uws: ItemDifference
    attributes: ItemDifference

    @property
    def ratios(self) -> tuple[tuple[int, int], ...]:
        """Ratios of relations, of UWs and overall, as (numerator, denominator)."""
        weighted = ((3, self.relations), (2, self.uws), (1, self.attributes))
        return (
            (self.relations.apart, self.relations.total),
            (self.uws.apart, self.uws.total),
            (
                sum(weight * part.apart for weight, part in weighted),
                sum(weight * part.total for weight, part in weighted),
            ),
        )

    @property
    def is_small(self) -> bool:
        """Whether all three ratios are strictly below their limits, unrounded."""
        limits = (RELATION_LIMIT, UW_LIMIT, OVERALL_LIMIT)
        return all(map(_below, self.ratios, limits))


def _below(ratio: tuple[int, int], limit: tuple[int, int]) -> bool:
    """0 / 0 counts as 0."""
    return ratio[1] == 0 or ratio[0] * limit[1] < limit[0] * ratio[1]


def discrepancy(answer: GraphItems, gold: GraphItems) -> Discrepancy:
    return Discrepancy(
        difference(answer.relations, gold.relations),
        difference(answer.uws, gold.uws),
        difference(answer.attributes, gold.attributes),
    )
