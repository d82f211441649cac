"""SEMarkup in plain Python: `conllu` reads, every formula as it stands in the seed.

Like ours it begins with the bytes of both files and of the taxonomy, checks that every
sentence has an id and the words are the gold's, and keeps for each sentence its name,
its groups and a row of counts, the best that could be reached among them; `conllu`
refuses an ID or a HEAD that is no number. It does not check the taxonomy, and reports
the first problem only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import Any

import conllu

from benchmarks._groups_peer import groups_of, names_of
from scoring.scorers.semarkup.rules import SYNTAGRUS

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel")
COLUMNS += ("semslot", "semclass")
LIGHT = frozenset(("ADP", "CCONJ", "INTJ", "PART", "PUNCT", "SCONJ", "SYM", "X"))

Scores = dict[str, float]
Number = Any
Kind = type[float] | type[Fraction]


def peer_on(
    kind: Kind, taxonomy: bytes, gold: bytes, system: bytes
) -> Callable[[], Scores]:
    """The work to be timed; `kind` are the numbers it reckons with."""

    def work() -> Scores:
        formulas = Formulas(kind, forest(taxonomy.decode()))
        sides = [conllu.parse(data.decode(), COLUMNS) for data in (system, gold)]
        metadata = [dict(sentence.metadata) for sentence in sides[1]]
        groups = groups_of(metadata, [len(sentence) for sentence in sides[1]])
        labels = zip(names_of(metadata), *groups.values(), strict=True)
        pairs = map(paired, *sides)
        table = dict(zip(labels, map(formulas.row, pairs), strict=True))
        rows = list(table.values())
        return {name: formulas.average([r[name] for r in rows]) for name in rows[0]}

    return work


def paired(tests: Any, golds: Any) -> list[tuple[Any, Any]]:
    """The tokens of a sentence."""
    if tests.metadata["sent_id"] != golds.metadata["sent_id"]:
        raise ValueError("other sentences")
    pairs = list(zip(tests, golds, strict=True))
    if any(test["form"] != gold["form"] for test, gold in pairs):
        raise ValueError("other words")
    return pairs


@dataclass(frozen=True)
class Forest:
    parents: dict[str, str]
    depths: dict[str, int]
    nodes: dict[str, str]

    def distance(self, first: str, second: str) -> int | None:
        """PathLength, None in different trees."""
        u, v = self.nodes[first], self.nodes[second]
        others = self.ancestors(v)
        shared = next((node for node in self.ancestors(u) if node in others), None)
        if shared is None:
            return None
        return self.depths[u] + self.depths[v] - 2 * self.depths[shared]

    def ancestors(self, node: str) -> list[str]:
        above = []
        while node:
            above.append(node)
            node = self.parents[node]
        return above


def forest(text: str) -> Forest:
    rows = [line.split(",") for line in text.splitlines()[1:]]
    return Forest(
        {node: parent for node, parent, _, _ in rows},
        {node: int(depth) for node, _, depth, _ in rows},
        {name: node for node, _, _, name in rows},
    )


class Formulas:
    """ScoreX(test, gold) for each X, reckoned in `kind`."""

    def __init__(self, kind: Kind, forest: Forest) -> None:
        self.kind, self.forest = kind, forest
        self.light, self.heavy = kind("0.3"), kind("0.7")
        self.total = fsum if kind is float else sum
        self.all: dict[str, Callable[[Any, Any], Number]] = {
            "lemma": self.lemma,
            "pos": lambda test, gold: test["upos"] == gold["upos"],
            "feats": self.feats,
            "uas": lambda test, gold: test["head"] == gold["head"],
            "las": lambda test, gold: (
                test["head"] == gold["head"] and test["deprel"] == gold["deprel"]
            ),
            "semslot": lambda test, gold: test["semslot"] == gold["semslot"],
            "semclass": self.semclass,
        }

    def row(self, pairs: list[tuple[Any, Any]]) -> dict[str, tuple[Number, Number]]:
        return {name: self.summed(score, pairs) for name, score in self.all.items()}

    def summed(
        self, score: Callable[[Any, Any], Number], pairs: list[tuple[Any, Any]]
    ) -> tuple[Number, Number]:
        """Counts of a sentence: those it reached, and those of gold against itself."""
        reached = self.total(score(test, gold) for test, gold in pairs)
        return reached, self.total(score(gold, gold) for _, gold in pairs)

    def average(self, counts: list[tuple[Number, Number]]) -> float:
        """AverageScoreX."""
        parts, wholes = zip(*counts, strict=True)
        return float(self.total(parts) / self.total(wholes))

    def lemma(self, test: Any, gold: Any) -> Number:
        weight = self.light if gold["upos"] in LIGHT else self.heavy
        return weight * (normalized(test["lemma"]) == normalized(gold["lemma"]))

    def feats(self, test: Any, gold: Any) -> Number:
        given, wanted = test["feats"] or {}, gold["feats"] or {}
        if not wanted:
            return not given
        right = sum(SYNTAGRUS[c] for c in wanted if given.get(c) == wanted[c])
        whole = sum(SYNTAGRUS[c] for c in wanted)
        return self.penalty(given, wanted) * self.kind(right) / self.kind(whole)

    def penalty(self, given: Any, wanted: Any) -> Number:
        if len(given) > len(wanted):
            return 1 / self.kind(1 + (len(given) - len(wanted)))
        return self.kind(1)

    def semclass(self, test: Any, gold: Any) -> Number:
        given, wanted = test["semclass"], gold["semclass"]
        if wanted == "_" or given not in self.forest.nodes:
            return given == wanted
        length = self.forest.distance(given, wanted)
        return 0 if length is None else 1 / self.kind(1 + length)


def normalized(text: str) -> str:
    return text.lower().replace("\u0451", "\u0435")
