"""`semarkup` on 25,000 words, against the seed's formulas in plain Python.

One peer reckons with floats and adds them up without loss, as ours does; the other with
exact fractions, as the oracle of the tests does.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from benchmarks._semarkup_peer import Scores, peer_on
from benchmarks._timing import row
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source

WORDS, TARGET = 25_000, 40
NOISE = 0.1
CLASSES, TREES = 600, 8
CLASS_NAMES = [f"C{node}" for node in range(CLASSES)]
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


def rows() -> list[dict[str, Any]]:
    """Paired timings: median of the ratios of alternating runs."""
    files = [text.encode() for text in material(random.Random(1))]
    ours = ours_on(*files)
    return [
        compared(ours, "plain Python on conllu", peer_on(float, *files)),
        compared(ours, "the same in exact fractions", peer_on(Fraction, *files)),
    ]


def compared(
    ours: Callable[[], Scores], name: str, peer: Callable[[], Scores]
) -> dict[str, Any]:
    check(ours(), peer())
    return row(f"semarkup, all measures, {WORDS:,} words", ours, (name, peer), TARGET)


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
        feats = [f"{name}={self.dice.choice(GRAMMEMES[name])}" for name in chosen]
        return "|".join(feats) or "_"

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


def ours_on(taxonomy: bytes, gold: bytes, system: bytes) -> Callable[[], Scores]:
    scorer = get("semarkup")
    tree = Source.of_bytes("taxonomy.csv", taxonomy)
    sides = [Source.of_bytes("x.conllu", data) for data in (gold, system)]

    def work() -> Scores:
        options = parse(scorer.options, {"taxonomy": [tree]})
        counts = count(scorer, read_pair(scorer, *sides, options), options)
        return {
            measure.name: float(measure.of(counts.totals, counts.columns))
            for measure in scorer.measures(counts.columns)
        }

    return work
