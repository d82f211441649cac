"""Reading both sides of `unl-graph`, and what counts as a returned graph."""

import re
from dataclasses import dataclass

from scoring.errors import Findings, SetupError
from scoring.formats import unl, unl_graph
from scoring.formats.text import shown, text_of
from scoring.formats.unl import UNL, Sentence, Sentences
from scoring.formats.unl_graph import Graph, Unreadable
from scoring.options import Options
from scoring.scorers.unl import accuracy
from scoring.scorers.unl.discrepancy import GraphItems, items
from scoring.source import Source

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
    """Read sentences and their graphs.

    Raises SetupError for a sentence without a graph that can be read.
    """
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
    """The graph of a sentence.

    Raises Unreadable when there is none.
    """
    if sentence is None:
        raise Unreadable("missing sentence")
    if sentence.graph is None:
        raise Unreadable("empty expression")
    return unl_graph.parse(sentence.graph.text)


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
