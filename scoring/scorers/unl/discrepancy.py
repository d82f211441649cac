"""UNL graphs of gold and system: reading, comparable items, discrepancy."""

import re
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from typing import TypeVar

from scoring.errors import Findings, SetupError
from scoring.formats import unl
from scoring.formats.unl import UNL, Graph, Sentence, Sentences, Unreadable
from scoring.options import Options
from scoring.scorers.unl import accuracy
from scoring.source import Source, shown, text_of

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


def placed(graph: Graph, ignored: Container[str]) -> PlacedItems:
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
    """How often each item stands in a graph, `ignored` attributes left out."""
    found = placed(graph, ignored)
    return GraphItems(
        Counter(found.relations),
        Counter(item for item, _ in found.uws),
        Counter(item for item, _ in found.attributes),
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
        """All three strictly below their limits, decided without rounding."""
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


NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)*")
CONSTRAINED = re.compile(r"\([^<>]*[<>].*\)$")


@dataclass(frozen=True)
class GraphGold:
    """Gold sentences with what is compared of them, and the UWs taken as known.

    A published file has sentences only.
    """

    sentences: Sentences
    items: dict[str, GraphItems]
    vocabulary: frozenset[str]


def read_gold(source: Source, options: Options) -> GraphGold:
    """Read sentences and their graphs. Raises SetupError for a sentence without a graph
    that can be read."""
    sentences = unl.read(source, SetupError)
    ignored = ignored_attributes(options)
    known = set(read_uw_list(options))
    findings = Findings(source.name)
    answers: dict[str, GraphItems] = {}
    for name, sentence in sentences.items():
        try:
            graph = parsed(sentence)
        except Unreadable as problem:
            line = sentence.graph.line if sentence.graph else sentence.line
            message = f"sentence '{shown(name)}': {problem}."
            findings.add("gold_graph", message, line=line, unit=shown(name))
            continue
        known.update(node.uw for _, node in graph.roles())
        answers[name] = items(graph, ignored)
    findings.raise_if_any(SetupError)
    return GraphGold(sentences, answers, frozenset(known))


def read_blind(source: Source, options: Options) -> GraphGold:
    return GraphGold(unl.read(source, SetupError), {}, frozenset())


def read_system(source: Source, options: Options, gold: GraphGold) -> Sentences:
    return accuracy.read_answers(source, gold.sentences)


def blind(source: Source, _options: Options) -> Source:
    """The gold document without its graphs."""
    sentences = unl.read(source, SetupError)
    text = unl.write(sentences, lambda block: block.name != UNL)
    return Source.of_bytes(source.name, text.encode())


def ignored_attributes(options: Options) -> frozenset[str]:
    """With "@" before each, however they were given."""
    return frozenset("@" + name.lstrip(".@") for name in options["ignored_attributes"])


def read_uw_list(options: Options) -> list[str]:
    source = options["uw_list"]
    if source is None:
        return []
    lines = text_of(source, SetupError).split("\n")
    return [" ".join(line.split()) for line in lines if line.strip()]


def parsed(sentence: Sentence | None) -> Graph:
    """The graph of a sentence. Raises Unreadable when there is none."""
    if sentence is None:
        raise Unreadable("missing sentence")
    if sentence.graph is None:
        raise Unreadable("empty expression")
    return unl.parse(sentence.graph.text)


def not_a_graph(graph: Graph, vocabulary: frozenset[str]) -> str:
    """Why an expression that parses is no graph of UWs; "" where it is one."""
    uws = {node.uw for _, node in graph.roles() if not node.is_scope}
    words = sorted(uw for uw in uws - vocabulary if is_natural(uw))
    if words:
        return f"natural-language words: {', '.join(map(shown, words[:3]))}"
    return "" if graph.is_connected() else "not one connected graph"


def is_natural(uw: str) -> bool:
    """No constraint list, no number, no double quotes."""
    quoted = uw.startswith('"') and uw.endswith('"')
    return not (quoted or NUMBER.fullmatch(uw) or CONSTRAINED.search(uw))
