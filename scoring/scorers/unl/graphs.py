"""`unl-graph`: UNL graphs out of natural language (seed 004, "In UNLization")."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.counts import Counts, fixed_point
from scoring.formats.unl import Sentences, Unreadable
from scoring.inspection import Inspection, Net
from scoring.measures import Measure, ratio
from scoring.options import Option, Options
from scoring.scorer import Cell, Details, Scorer
from scoring.scorers.unl import accuracy
from scoring.scorers.unl.accuracy import ACCURACY, LANGUAGE
from scoring.scorers.unl.details import ComparedSentence, inspect_graphs, nets
from scoring.scorers.unl.discrepancy import (
    NOTHING,
    Discrepancy,
    GraphGold,
    GraphItems,
    ItemDifference,
    blind,
    discrepancy,
    ignored_attributes,
    items,
    not_a_graph,
    parsed,
    read_blind,
    read_gold,
    read_system,
)
from scoring.scorers.unl.examples import guessed_graphs, spoiled_unl

KINDS = ("relations", "uw", "attributes")
PARTS = ("exceeding", "missing", "total")
COUNTED = tuple(f"{part}_{kind}" for kind in KINDS for part in PARTS)
RATIOS = ("relation_discrepancy", "uw_discrepancy", "overall_discrepancy")

OPTIONS = (
    Option("uw_list", "UWs that are words of UNL, one a line", "file"),
    Option(
        "ignored_attributes", "attributes that do not count", "list", ("@def", "@indef")
    ),
    LANGUAGE,
)


def measures(_columns: tuple[str, ...]) -> tuple[Measure, ...]:
    return (*ACCURACY, *MEANS)


def _mean(name: str, title: str, formula: str) -> Measure:
    note = "mean over expected sentences; one that does not parse is an empty graph"
    text = f"{formula}; {note}"
    return Measure(name, title, (name, "expected"), ratio, text, higher_is_better=False)


MEANS = (
    _mean(RATIOS[0], "Relations apart", "(xr + mr) / tr of relations"),
    _mean(RATIOS[1], "UWs apart", "(xu + mu) / tu of UWs"),
    _mean(
        RATIOS[2],
        "Apart overall",
        "(3(xr + mr) + 2(xu + mu) + (xa + ma)) / (3 tr + 2 tu + ta)",
    ),
)


@dataclass(frozen=True, slots=True)
class GraphVerdict:
    """`why` says why a sentence is not returned."""

    why: str
    discrepancy: Discrepancy
    items: GraphItems = NOTHING

    @property
    def returned(self) -> bool:
        return not self.why

    @property
    def correct(self) -> bool:
        return self.returned and self.discrepancy.is_small

    @property
    def differences(self) -> tuple[ItemDifference, ...]:
        found = self.discrepancy
        return found.relations, found.uws, found.attributes

    @property
    def shares(self) -> tuple[float, ...]:
        """The three discrepancies as fractions; 0 / 0 is 0."""
        return tuple(a / b if b else 0.0 for a, b in self.discrepancy.ratios)


def verdicts(
    gold: GraphGold, system: Sentences, options: Options
) -> Iterator[tuple[str, GraphVerdict]]:
    """Every gold sentence with what became of it."""
    ignored = ignored_attributes(options)
    for name, expected in gold.items.items():
        try:
            graph = parsed(system.get(name))
        except Unreadable as problem:
            yield name, GraphVerdict(str(problem), discrepancy(NOTHING, expected))
            continue
        why = not_a_graph(graph, gold.vocabulary)
        found = items(graph, ignored)
        yield name, GraphVerdict(why, discrepancy(found, expected), found)


def count(gold: GraphGold, system: Sentences, options: Options) -> Counts:
    """One row per gold sentence; the discrepancies are summed in fixed point."""
    found = [verdict for _, verdict in verdicts(gold, system, options)]
    whole = np.array([_numbers(verdict) for verdict in found], dtype=np.float64)
    shares = np.array([verdict.shares for verdict in found])
    columns = zip(("correct", "returned", *COUNTED), whole.T, strict=True)
    items = {**dict(columns), "expected": np.ones(len(found))}
    for name, share in zip(RATIOS, shares.T, strict=True):
        items |= fixed_point(name, share)
    return accuracy.counted(gold.sentences, items)


def _numbers(verdict: GraphVerdict) -> tuple[int, ...]:
    parts = (
        number
        for found in verdict.differences
        for number in (found.exceeding, found.missing, found.total)
    )
    return int(verdict.correct), int(verdict.returned), *parts


def details(gold: GraphGold, system: Sentences, options: Options) -> Details:
    """One row per gold sentence: verdict, reason, differences, discrepancies."""
    columns = ("sentence", "correct", "returned", *COUNTED, *RATIOS, "why", "text")
    return Details(columns, _rows(gold, system, options))


def _rows(
    gold: GraphGold, system: Sentences, options: Options
) -> Iterator[tuple[Cell, ...]]:
    language = accuracy.language_of(options)
    for name, verdict in verdicts(gold, system, options):
        text = " ".join(" ".join(gold.sentences[name].texts(language)).split())
        yield name, *_numbers(verdict), *verdict.shares, verdict.why, text


def inspect(gold: GraphGold, system: Sentences, options: Options) -> Inspection:
    found = verdicts(gold, system, options)
    compared = [
        ComparedSentence(one.why, one.correct, gold.items[name], one.items)
        for name, one in found
    ]
    names, ignored = list(gold.items), ignored_attributes(options)

    def drawn(unit: int) -> tuple[Net, Net]:
        name = names[unit]
        return nets((gold.sentences[name], system.get(name)), ignored)

    return inspect_graphs(compared, drawn)


def remarks(gold: GraphGold, system: Sentences, options: Options) -> list[str]:
    found = verdicts(gold, system, options)
    return accuracy.not_returned({name: v.why for name, v in found if v.why})


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
    title="UNL graphs",
    summary="UNLization: a returned graph is correct when its relations, UWs and "
    "attributes are close enough to the expected ones.",
    formats=("UNL",),
    example=EXAMPLE,
    units=("sentence", "document"),
    headline="f1",
    options=OPTIONS,
    measures=measures,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    count=count,
    details=details,
    blind=blind,
    remarks=remarks,
    guess=guessed_graphs,
    spoil=spoiled_unl,
    inspect=inspect,
)
