"""`unl-graph`: UNL graphs out of natural language (seed 004, "In UNLization")."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from scoring.answered import Answered
from scoring.counts import Counts, fixed_point
from scoring.errors import Findings, Problem, SetupError
from scoring.inspection import Inspection, Net
from scoring.measures import Measure, ratio
from scoring.messages import Messages, Wording, _
from scoring.options import Option, Options
from scoring.scorer import DetailRows, Scorer, details_of
from scoring.scorers.unl import reader
from scoring.scorers.unl.discrepancy import (
    NOTHING,
    Discrepancy,
    GraphItems,
    discrepancy,
    items,
)
from scoring.scorers.unl.examples import guessed_graphs, spoiled_unl
from scoring.scorers.unl.inspection import inspect_graphs, nets, parse_graph
from scoring.scorers.unl.outline import unl
from scoring.scorers.unl.reader import UNL, Graph, Sentences, Unreadable
from scoring.scorers.unl.sentences import (
    ACCURACY,
    LANGUAGE,
    UnlGold,
    blind_of,
    counts_of,
    language_of,
    not_returned,
    of_sentences,
    read_blind,
    read_system,
)
from scoring.source import Source, brief, text_of
from scoring.spellings import Kinds

MESSAGES = Messages(
    unreadable=_(
        "%(count)s of the first %(all)s graphs cannot be read and count as not "
        "returned, first sentence '%(sentence)s': %(problem)s."
    ),
    sentence=_("sentence '%(sentence)s': %(problem)s."),
)

LOOKED_AT = 1000  # sentences
KINDS = ("relations", "uw", "attributes")
PARTS = ("exceeding", "missing", "total")
COUNTED = tuple(f"{part}_{kind}" for kind in KINDS for part in PARTS)
RATIOS = ("relation_discrepancy", "uw_discrepancy", "overall_discrepancy")
NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)*")
CONSTRAINED = re.compile(r"\([^<>]*[<>].*\)$")


def _mean(name: str, title: str, formula: str) -> Measure:
    text = Wording(
        _(
            "%(formula)s; mean over expected sentences; one that does not parse is an "
            "empty graph"
        ),
        {"formula": Wording(formula)},
    )
    return Measure(name, title, (name, "expected"), ratio, text, higher_is_better=False)


MEASURES = (
    *ACCURACY,
    _mean(RATIOS[0], "Relations apart", _("(xr + mr) / tr of relations")),
    _mean(RATIOS[1], "UWs apart", _("(xu + mu) / tu of UWs")),
    _mean(
        RATIOS[2],
        "Apart overall",
        "(3(xr + mr) + 2(xu + mu) + (xa + ma)) / (3 tr + 2 tu + ta)",
    ),
)


@dataclass(frozen=True)
class GraphGold(UnlGold):
    """Gold sentences with what is compared of them, and the UWs taken as known."""

    items: dict[str, GraphItems]
    vocabulary: frozenset[str]


def read_gold(source: Source, options: Options) -> GraphGold:
    """Read sentences and their graphs. Raises SetupError for a sentence without a graph
    that can be read."""
    sentences = reader.read(source, SetupError)
    ignored = ignored_attributes(options)
    listed = set(read_uw_list(options))
    findings = Findings(source.name)
    expected: dict[str, GraphItems] = {}
    for name, sentence in sentences.items():
        try:
            graph = parse_graph(sentence)
        except Unreadable as problem:
            line = sentence.graph.line if sentence.graph else sentence.line
            message = MESSAGES(
                "sentence", sentence=brief(name), problem=problem.args[0]
            )
            findings.add("gold_graph", message, line=line, unit=brief(name))
            continue
        listed.update(node.uw for _, node in graph.roles())
        expected[name] = items(graph, ignored)
    findings.raise_if_any(SetupError)
    return GraphGold(sentences, expected, frozenset(listed))


def ignored_attributes(options: Options) -> frozenset[str]:
    """Attributes that do not count, "@" before each however they were given."""
    return frozenset("@" + name.lstrip(".@") for name in options["ignored_attributes"])


def read_uw_list(options: Options) -> list[str]:
    source = options["uw_list"]
    if source is None:
        return []
    lines = text_of(source, SetupError).split("\n")
    return [" ".join(line.split()) for line in lines if line.strip()]


def not_a_graph(graph: Graph, vocabulary: frozenset[str]) -> str:
    """The reason why a parsed expression is no graph of UWs; "" where it is one."""
    uws = {node.uw for _, node in graph.roles() if not node.is_scope}
    words = sorted(uw for uw in uws - vocabulary if is_natural(uw))
    if words:
        return f"natural-language words: {', '.join(map(brief, words[:3]))}"
    return "" if graph.is_connected() else "not one connected graph"


def is_natural(uw: str) -> bool:
    """No constraint list, no number, no double quotes."""
    quoted = uw.startswith('"') and uw.endswith('"')
    return not (quoted or NUMBER.fullmatch(uw) or CONSTRAINED.search(uw))


@dataclass(frozen=True)
class GraphVerdict:
    """Items of both graphs of a sentence; `why` says why it is not returned."""

    why: str
    gold: GraphItems
    system: GraphItems = NOTHING

    @cached_property
    def discrepancy(self) -> Discrepancy:
        return discrepancy(self.system, self.gold)

    @property
    def correct(self) -> bool:
        return not self.why and self.discrepancy.is_small

    @property
    def differences(self) -> tuple[int, ...]:
        """The numbers that COUNTED names."""
        apart = self.discrepancy
        return tuple(
            number
            for kind in (apart.relations, apart.uws, apart.attributes)
            for number in (kind.exceeding, kind.missing, kind.total)
        )

    @property
    def shares(self) -> tuple[float, ...]:
        """The three discrepancies as fractions; 0 / 0 is 0."""
        return tuple(a / b if b else 0.0 for a, b in self.discrepancy.ratios)


def verdicts(
    gold: GraphGold, system: Sentences, options: Options
) -> Iterator[tuple[str, GraphVerdict]]:
    """The verdict on every gold sentence, by its id."""
    ignored = ignored_attributes(options)
    for name, expected in gold.items.items():
        try:
            graph = parse_graph(system.get(name))
        except Unreadable as problem:
            yield name, GraphVerdict(str(problem), expected)
        else:
            why = not_a_graph(graph, gold.vocabulary)
            yield name, GraphVerdict(why, expected, items(graph, ignored))


def stand_in(_published: UnlGold, system: Sentences, options: Options) -> GraphGold:
    """The graphs of the answer that can be read."""
    ignored = ignored_attributes(options)
    sentences, expected = {}, {}
    for name, sentence in system.items():
        try:
            expected[name] = items(parse_graph(sentence), ignored)
        except Unreadable:
            continue
        sentences[name] = sentence
    return GraphGold(sentences, expected, frozenset(read_uw_list(options)))


def count(gold: GraphGold, system: Sentences, options: Options) -> Counts:
    """One row per gold sentence; the discrepancies are summed in fixed point."""
    rows = [verdict for _, verdict in verdicts(gold, system, options)]
    whole = np.array([verdict.differences for verdict in rows], dtype=np.float64)
    columns = dict(zip(COUNTED, whole.T, strict=True))
    columns["expected"] = np.ones(len(rows))
    shares = np.array([verdict.shares for verdict in rows])
    for name, share in zip(RATIOS, shares.T, strict=True):
        columns |= fixed_point(name, share)
    return counts_of(gold, rows, columns)


@details_of("sentence", "correct", "returned", *COUNTED, *RATIOS, "why", "text")
def details(gold: GraphGold, system: Sentences, options: Options) -> DetailRows:
    """One row per gold sentence: verdict, reason, differences, discrepancies."""
    language = language_of(options)
    for name, verdict in verdicts(gold, system, options):
        text = " ".join(" ".join(gold.sentences[name].texts(language)).split())
        flags = int(verdict.correct), int(not verdict.why)
        yield name, *flags, *verdict.differences, *verdict.shares, verdict.why, text


def inspect(gold: GraphGold, system: Sentences, options: Options) -> Inspection:
    names, ignored = list(gold.items), ignored_attributes(options)

    def drawn(unit: int) -> tuple[Net, Net]:
        name = names[unit]
        return nets((gold.sentences[name], system.get(name)), ignored)

    return inspect_graphs([v for _, v in verdicts(gold, system, options)], drawn)


# How many graphs of one kind begin or end.
OF_GRAPHS = re.compile(r"[a-z]{2,4}(?::\w+)?\(\W{,2}|[^()]*\)+\s*")


def count_answers(asked: GraphGold, system: Sentences, _options: Options) -> Answered:
    """How the sentences are answered."""
    texts = {
        n: sentence.graph.text if sentence.graph else ""
        for n, sentence in system.items()
    }
    answered = of_sentences(asked, texts, system, UNL)
    name, text = answered.odd or ("", "")
    own = name in ("begin_alike", "end_alike") and OF_GRAPHS.fullmatch(text)
    return replace(answered, odd=None) if own else answered


def notes(system: Sentences, _options: Options) -> list[Problem]:
    """A remark on graphs that cannot be read and count as not returned."""
    faults: dict[str, str] = {}
    for name, sentence in islice(system.items(), LOOKED_AT):
        if sentence.graph is None or not sentence.graph.text.strip():
            continue
        try:
            parse_graph(sentence)
        except Unreadable as problem:
            faults[name] = str(problem)
    if not faults:
        return []
    name, fault = next(iter(faults.items()))
    line = system[name].line
    about = {
        "count": len(faults),
        "all": min(len(system), LOOKED_AT),
        "sentence": brief(name),
        "problem": fault,
    }
    return [Problem("unreadable", MESSAGES("unreadable", **about), "", line)]


def labels(read: GraphGold | Sentences, _options: Options) -> Kinds:
    """The distinct relations of the first graphs that can be read."""
    sentences = read.sentences if isinstance(read, GraphGold) else read
    names: dict[str, None] = {}
    for sentence in islice(sentences.values(), LOOKED_AT):
        with suppress(Unreadable):
            graph = parse_graph(sentence)
            names |= dict.fromkeys(relation.label for relation in graph.relations)
    return {"relation": [*names]}


def remarks(gold: GraphGold, system: Sentences, options: Options) -> list[str]:
    return not_returned(verdicts(gold, system, options))


EXAMPLE = """\
[D:boats]
[S:1]
{unl}
agt(drift(icl>move).@entry, boat(icl>vessel).@pl)
mod(boat(icl>vessel).@pl, green(icl>colour))
{/unl}
[/S]
[S:2]
{unl}
[W]
calm(icl>still).@plus
[/W]
{/unl}
[/S]
[/D]
"""

GRAPH = Scorer(
    name="unl-graph",
    title=_("UNL graphs"),
    summary=_(
        "UNLization: a returned graph is correct when its relations, UWs and "
        "attributes are close enough to the expected ones."
    ),
    formats=("UNL",),
    example=EXAMPLE,
    units=("sentence", "document"),
    headline="f1",
    options=(
        Option("uw_list", "UWs that are words of UNL, one a line", "file"),
        Option(
            "ignored_attributes",
            "attributes that do not count",
            "list",
            ("@def", "@indef"),
        ),
        LANGUAGE,
    ),
    fixed_measures=MEASURES,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    outline=unl,
    count=count,
    details=details,
    blind=blind_of(lambda block: block.name != UNL),
    remarks=remarks,
    answered=count_answers,
    labels=labels,
    notes=notes,
    guess=guessed_graphs,
    spoil=spoiled_unl,
    inspect=inspect,
    stand_in=stand_in,
)
