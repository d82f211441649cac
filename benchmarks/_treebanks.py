"""A gold file of 25,000 words and a parser's output for it.

Where real data lies beside the repository it is used: UD 1.2 English. Otherwise both
files are made up, of about the same size and make.
"""

import random
from functools import cache
from pathlib import Path

WORDS, NOISE = 25_000, 0.15
SHARED = Path(__file__).parents[2] / "shared" / "data" / "ud12" / "English"
LETTERS = "etaoinshrdlucmfwyp"
TAGS = ("NOUN", "VERB", "ADJ", "ADP", "PUNCT", "PRON", "ADV", "DET", "PROPN", "AUX")
RELATIONS = ("nsubj", "dobj", "nmod", "amod", "case", "punct", "advmod", "conj", "det")
FEATS = (
    "_",
    "Number=Sing",
    "Number=Plur",
    "Mood=Ind|Tense=Past|VerbForm=Fin",
    "Definite=Def|PronType=Art",
    "Case=Nom|Number=Sing|Person=3|PronType=Prs",
)


@cache
def pair() -> tuple[bytes, bytes]:
    """Gold and system."""
    if SHARED.exists():
        names = ("gold.conllu", "malt-default-coarse.conllu")
        gold, system = ((SHARED / name).read_bytes() for name in names)
        return gold, system
    dice = random.Random(1)
    words = ["".join(dice.choices(LETTERS, k=1 + i % 9)) for i in range(6000)]
    sides: tuple[list[str], list[str]] = ([], [])
    left = WORDS
    while left:
        size = min(left, dice.randint(4, 25))
        left -= size
        for place in range(1, size + 1):
            word = words[int(dice.paretovariate(0.7)) % len(words)]
            right = _analysis(dice, place)
            wrong = _analysis(dice, place)
            noisy = [
                w if dice.random() < NOISE else r
                for r, w in zip(right, wrong, strict=True)
            ]
            for side, cells in zip(sides, (right, noisy), strict=True):
                side.append("\t".join([str(place), word, *cells, "_", "_"]))
        for side in sides:
            side.append("")
    gold, system = ("\n".join([*side, ""]).encode() for side in sides)
    return gold, system


def _analysis(dice: random.Random, place: int) -> list[str]:
    """Lemma to relation; heads go backwards, so that they make a tree."""
    head = dice.randrange(max(0, place - 5), place) if place > 1 else 0
    lemma, tag = dice.choice(LETTERS), dice.choice(TAGS)
    return [lemma, tag, "_", dice.choice(FEATS), str(head), dice.choice(RELATIONS)]
