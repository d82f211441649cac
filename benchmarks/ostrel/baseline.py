"""The organizers' baseline: every word hangs from the nearest likely word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.ostrel.arcs import CODE, TAGS, Ints, Trees, trees

NOMINAL = frozenset(("NOUN", "PROPN", "PRON"))
VERBAL = frozenset(("VERB",))
NEXT, PREVIOUS, NEAREST = 1, -1, 0
RULES = {
    "ADJ": (NOMINAL, NEXT, "amod"),
    "ADP": (NOMINAL, NEXT, "case"),
    "ADV": (VERBAL, NEAREST, "advmod"),
    "AUX": (VERBAL, NEAREST, "aux"),
    "CONJ": (NOMINAL | VERBAL, PREVIOUS, "cc"),
    "DET": (NOMINAL, NEXT, "det"),
    "INTJ": (VERBAL, NEAREST, "discourse"),
    "NOUN": (VERBAL, NEAREST, "nmod"),
    "NUM": (NOMINAL, NEXT, "nummod"),
    "PART": (VERBAL, NEXT, "neg"),
    "PRON": (VERBAL, NEAREST, "nsubj"),
    "PROPN": (VERBAL, NEAREST, "nsubj"),
    "PUNCT": (frozenset[str](), NEAREST, "punct"),
    "SCONJ": (VERBAL, NEXT, "mark"),
    "VERB": (frozenset[str](), NEAREST, "conj"),
}


def choose_root(tags: list[str]) -> int:
    """Position of the first verb, or of the first word that is no punctuation."""
    if "VERB" in tags:
        return tags.index("VERB") + 1
    return next((at for at, tag in enumerate(tags, 1) if tag != "PUNCT"), 1)


def nearest(tags: list[str], at: int, root: int) -> int:
    """The head the rules give to the word at this position."""
    wanted, side, _ = RULES[tags[at - 1]]
    others = [
        other
        for other, tag in enumerate(tags, 1)
        if tag in wanted and other != at and (other - at) * side >= 0
    ]
    return min(others, key=lambda other: abs(other - at), default=root)


def attach(tags: list[str]) -> list[int]:
    root = choose_root(tags)
    return [
        0 if at == root else nearest(tags, at, root) for at in range(1, len(tags) + 1)
    ]


def sentences(text: Trees) -> list[list[str]]:
    """The tags of each sentence."""
    names = [TAGS[code] for code in text.tag.tolist()]
    first = np.unique(text.start).tolist()
    return [names[i : i + text.size[i]] for i in first]


@dataclass(frozen=True)
class NearestWord:
    """Rules over parts of speech, no training; it knows one word order."""

    name: str
    description: str

    def parse(self, gold: str) -> str:
        """The same sentences with heads and relations by rule."""
        text = trees(gold)
        tags = sentences(text)
        head: Ints = np.array([at for words in tags for at in attach(words)])
        by_rule = [CODE[RULES[tag][2]] for words in tags for tag in words]
        relation = np.where(head == 0, CODE["root"], by_rule)
        return text.written(head, relation)
