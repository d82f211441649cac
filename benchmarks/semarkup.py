"""`semarkup` on 25,000 words, against the seed's formulas in plain Python.

The peer reads with `conllu` and says every formula of the seed as it stands there.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import conllu

from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.scorers.semarkup.rules import SYNTAGRUS
from scoring.source import Source

WORDS, RUNS, TARGET = 25_000, 7, 40
NOISE = 0.1
CLASSES, TREES = 600, 8
CLASS_NAMES = [f"C{node}" for node in range(CLASSES)]
COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel")
COLUMNS += ("semslot", "semclass")
TAGS = ("NOUN", "VERB", "ADJ", "ADP", "PUNCT", "PRON", "ADV", "CCONJ", "PROPN", "DET")
RELATIONS = ("nsubj", "obj", "obl", "nmod", "amod", "case", "punct", "advmod", "conj")
SLOTS = ("Agent", "Object", "Time", "Locative", "Predicate", "Quantity", "_")
LETTERS = "абвгдежзиклмнопрстуфхцчшы"
GRAMMEMES = {
    "Animacy": ("Anim", "Inan"),
    "Case": ("Nom", "Gen", "Dat", "Acc", "Ins", "Loc"),
    "Gender": ("Masc", "Fem", "Neut"),
    "Number": ("Sing", "Plur"),
    "Tense": ("Past", "Pres", "Fut"),
}
LIGHT = frozenset(("ADP", "CCONJ", "INTJ", "PART", "PUNCT", "SCONJ", "SYM", "X"))

Scores = dict[str, float]


def rows() -> list[dict[str, Any]]:
    """Paired timings: median of the ratios of alternating runs."""
    texts = material(random.Random(1))
    ours, peer = ours_on(*texts), peer_on(*texts)
    check(ours(), peer())
    pairs = [(timed(ours), timed(peer)) for _ in range(RUNS)]
    return [
        {
            "work": f"semarkup, all measures, {WORDS:,} words",
            "ours_ms": 1000 * median(pair[0] for pair in pairs),
            "peer": "plain Python on conllu",
            "peer_ms": 1000 * median(pair[1] for pair in pairs),
            "ratio": median(pair[1] / pair[0] for pair in pairs),
            "target": TARGET,
        }
    ]


def timed(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def check(ours: Scores, peer: Scores) -> None:
    """Only the same numbers may be compared in time."""
    for name, value in peer.items():
        if abs(ours[name] - value) > 1e-9:
            raise ValueError(f"{name}: {ours[name]} and {value}")


def material(dice: random.Random) -> tuple[str, str, str]:
    """A taxonomy, a gold file and a system's file with noise in every column."""
    gold, system = [], []
    language = Language(dice)
    for number, size in enumerate(sizes(dice), 1):
        head = f"# sent_id = {number}\n# text = _\n"
        pairs = [language.token(size) for _ in range(size)]
        for side, tokens in zip((gold, system), zip(*pairs, strict=True), strict=True):
            numbered = (f"{i}\t{line}\n" for i, line in enumerate(tokens, 1))
            side += [head, *numbered, "\n"]
    return taxonomy(dice), "".join(gold), "".join(system)


def taxonomy(dice: random.Random) -> str:
    """Some trees, every further class below one that stands before it."""
    lines, depths = ["ID,ParentID,Depth,Name"], []
    for node in range(CLASSES):
        parent = dice.randrange(node) if node >= TREES else None
        depths.append(0 if parent is None else depths[parent] + 1)
        above = "" if parent is None else parent
        lines.append(f"{node},{above},{depths[node]},C{node}")
    return "\n".join(lines) + "\n"


def sizes(dice: random.Random) -> Iterator[int]:
    left = WORDS
    while left:
        size = min(left, dice.randint(5, 30))
        left -= size
        yield size


class Language:
    """Words and features, the frequent ones as frequent as in a real language."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.words = ["".join(dice.choices(LETTERS, k=1 + i % 11)) for i in range(8000)]
        self.feats = ["_", *{self._feats() for _ in range(400)}]
        self.feats[1:] = sorted(self.feats[1:])
        self.weights = {
            size: [1 / rank for rank in range(1, size + 1)]
            for size in (len(self.words), len(self.feats), CLASSES)
        }

    def _feats(self) -> str:
        chosen = [name for name in GRAMMEMES if self.dice.random() < 0.6]
        found = [f"{name}={self.dice.choice(GRAMMEMES[name])}" for name in chosen]
        return "|".join(found) or "_"

    def _one(self, inventory: Sequence[str]) -> str:
        weights = self.weights[len(inventory)]
        return self.dice.choices(inventory, weights)[0]

    def token(self, size: int) -> tuple[str, str]:
        """The line of a word behind its number, in the gold and from a system."""
        word = self._one(self.words)
        right, wrong = (self._analysis(word, size) for _ in range(2))
        noisy = (self.dice.random() < NOISE for _ in right)
        mixed = [w if n else r for r, w, n in zip(right, wrong, noisy, strict=True)]
        return "\t".join([word, *right]), "\t".join([word, *mixed])

    def _analysis(self, word: str, size: int) -> list[str]:
        lemma = word[: self.dice.randint(1, len(word))]
        semclass = self._one(CLASS_NAMES) if self.dice.random() < 0.8 else "_"
        head, label = self.dice.randint(0, size), self.dice.choice(RELATIONS)
        tag, slot = self.dice.choice(TAGS), self.dice.choice(SLOTS)
        feats = self._one(self.feats)
        return [lemma, tag, "_", feats, str(head), label, slot, semclass]


def ours_on(taxonomy: str, gold: str, system: str) -> Callable[[], Scores]:
    scorer = get("semarkup")
    tree = Source.of_bytes("taxonomy.csv", taxonomy.encode())
    sides = [Source.of_bytes("x.conllu", text.encode()) for text in (gold, system)]

    def work() -> Scores:
        options = parse(scorer.options, {"taxonomy": [tree]})
        counts = count(scorer, read_pair(scorer, *sides, options), options)
        return {
            measure.name: float(measure.of(counts.totals, counts.columns))
            for measure in scorer.measures(counts.columns)
        }

    return work


def peer_on(taxonomy: str, gold: str, system: str) -> Callable[[], Scores]:
    def work() -> Scores:
        rows = [line.split(",") for line in taxonomy.splitlines()[1:]]
        forest = Forest(
            {node: parent for node, parent, _, _ in rows},
            {node: int(depth) for node, _, depth, _ in rows},
            {name: node for node, _, _, name in rows},
        )
        golds, tests = conllu.parse(gold, COLUMNS), conllu.parse(system, COLUMNS)
        pairs = list(paired(tests, golds))
        return {
            "lemma": average(score_lemma, pairs),
            "pos": average(score_pos, pairs),
            "feats": average(score_feats, pairs),
            "uas": average(uas, pairs),
            "las": average(las, pairs),
            "semslot": average(score_semslot, pairs),
            "semclass": average(forest.score_semclass, pairs),
        }

    return work


def paired(tests: Any, golds: Any) -> Iterator[tuple[Any, Any]]:
    for test_sentence, gold_sentence in zip(tests, golds, strict=True):
        if test_sentence.metadata["sent_id"] != gold_sentence.metadata["sent_id"]:
            raise ValueError("other sentences")
        for test, gold in zip(test_sentence, gold_sentence, strict=True):
            if test["form"] != gold["form"]:
                raise ValueError("other words")
            yield test, gold


def average(score: Callable[[Any, Any], float], pairs: list[tuple[Any, Any]]) -> float:
    """The seed's AverageScoreX."""
    reached = sum(score(test, gold) for test, gold in pairs)
    return reached / sum(score(gold, gold) for _, gold in pairs)


def score_lemma(test: Any, gold: Any) -> float:
    weight = 0.3 if gold["upos"] in LIGHT else 0.7
    return weight * (normalized(test["lemma"]) == normalized(gold["lemma"]))


def normalized(text: str) -> str:
    return text.lower().replace("\u0451", "\u0435")


def score_pos(test: Any, gold: Any) -> float:
    return test["upos"] == gold["upos"]


def score_feats(test: Any, gold: Any) -> float:
    found, wanted = test["feats"] or {}, gold["feats"] or {}
    if not wanted:
        return not found
    right = sum(SYNTAGRUS[c] * (found.get(c) == wanted[c]) for c in wanted)
    return penalty(found, wanted) * right / sum(SYNTAGRUS[c] for c in wanted)


def penalty(found: Scores, wanted: Scores) -> float:
    if len(found) > len(wanted):
        return 1 / (1 + (len(found) - len(wanted)))
    return 1


def uas(test: Any, gold: Any) -> float:
    return test["head"] == gold["head"]


def las(test: Any, gold: Any) -> float:
    return (test["head"] == gold["head"]) * (test["deprel"] == gold["deprel"])


def score_semslot(test: Any, gold: Any) -> float:
    return test["semslot"] == gold["semslot"]


@dataclass(frozen=True)
class Forest:
    parents: dict[str, str]
    depths: dict[str, int]
    nodes: dict[str, str]

    def score_semclass(self, test: Any, gold: Any) -> float:
        found, wanted = test["semclass"], gold["semclass"]
        if wanted == "_" or found not in self.nodes:
            return found == wanted
        u, v = self.nodes[found], self.nodes[wanted]
        shared = self.lowest_common_ancestor(u, v)
        if shared is None:
            return 0
        above = self.depths[shared]
        return 1 / (1 + self.depths[u] - above + self.depths[v] - above)

    def lowest_common_ancestor(self, u: str, v: str) -> str | None:
        others = self.ancestors(v)
        return next((node for node in self.ancestors(u) if node in others), None)

    def ancestors(self, node: str) -> list[str]:
        found = []
        while node:
            found.append(node)
            node = self.parents[node]
        return found
