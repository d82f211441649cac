"""Simulated parsers: a skill and a seed turn gold trees into plausible output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from benchmarks.ostrel.arcs import (
    CODE,
    FUNCTION,
    RELATIONS,
    TAG,
    Floats,
    Ints,
    Trees,
    trees,
)

Mask = NDArray[np.bool_]

HARD_TO_ATTACH = {
    "root": 0.6,
    "punct": 1.1,
    "nsubj": 0.8,
    "dobj": 0.7,
    "amod": 0.6,
    "nmod": 1.7,
    "advmod": 1.5,
    "advcl": 1.9,
    "acl": 1.7,
    "acl:relcl": 1.9,
    "conj": 2.0,
    "appos": 1.9,
    "parataxis": 1.7,
    "ccomp": 1.2,
    "nmod:tmod": 1.6,
}
HARD_GENRES = {"tale": 0.85, "letter": 1.0, "record": 1.25}
CONFUSED_WITH = {
    "nsubj": "dobj dobj nmod nsubjpass iobj appos",
    "nsubjpass": "nsubj nsubj nsubj dobj",
    "dobj": "nsubj nsubj nmod nmod iobj xcomp",
    "iobj": "dobj dobj nmod nsubj",
    "csubj": "xcomp advcl ccomp",
    "ccomp": "advcl xcomp parataxis acl:relcl",
    "xcomp": "ccomp advcl dobj",
    "nmod": "nmod:poss dobj nsubj nmod:tmod appos conj",
    "nmod:poss": "nmod nmod nmod det",
    "nmod:tmod": "nmod nmod dobj",
    "amod": "compound nmod advmod nummod",
    "advmod": "amod discourse nmod neg",
    "advcl": "ccomp acl conj acl:relcl",
    "acl": "amod acl:relcl advcl",
    "acl:relcl": "acl advcl conj ccomp",
    "appos": "conj nmod name",
    "compound": "amod nmod name",
    "compound:prt": "advmod case",
    "name": "appos compound nmod",
    "nummod": "amod det",
    "conj": "nmod advcl appos parataxis",
    "parataxis": "conj ccomp advcl",
    "vocative": "nsubj nsubj discourse",
    "discourse": "advmod advmod vocative",
    "det": "nummod amod nmod:poss",
    "case": "mark mark advmod compound:prt",
    "mark": "case cc advmod",
    "cc": "mark advmod",
    "aux": "auxpass cop",
    "auxpass": "aux aux cop",
    "cop": "aux auxpass",
    "neg": "advmod",
    "expl": "nsubj nsubj advmod",
    "mwe": "case case advmod",
    "punct": "punct",
    "root": "root",
}
CHOICES = 12  # a multiple of the lengths 1, 2, 3, 4 and 6 of the lists above
CONFUSION = np.array(
    [
        [CODE[word] for word in (CONFUSED_WITH[name].split() * CHOICES)[:CHOICES]]
        for name in RELATIONS
    ]
)
HARDNESS = np.array([HARD_TO_ATTACH.get(name, 1.0) for name in RELATIONS])
IS_FUNCTION = np.array([name in FUNCTION.split() for name in RELATIONS])
HEIRS = ("nsubj", "dobj", "nmod", "conj", "advcl", "ccomp", "parataxis")
MAY_BE_ROOT = np.array([name in HEIRS for name in RELATIONS])
DEPENDENT_TAGS = ("ADP", "AUX", "CONJ", "DET", "PART", "PUNCT", "SCONJ")
HEADLESS = np.array([TAG[tag] for tag in DEPENDENT_TAGS])
WORD_LIMIT_LOG2 = 6
SHARED_FATE = 0.6


class Parser(Protocol):
    """Anything that predicts trees; `gold` stands for the text it would have read."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    def parse(self, gold: str) -> str: ...


@dataclass(frozen=True)
class System:
    """A parser by its skill: error rates are odds for a word of average hardness.

    `function_ease` multiplies the odds for function relations, the slopes say how
    they grow with the length of the sentence and of the arc, `genres` multiplies
    them for kinds of text the parser does not know well.
    """

    name: str
    description: str
    seed: int
    arc_error: float
    label_error: float
    function_ease: float = 0.3
    length_slope: float = 0.02
    distance_slope: float = 0.1
    genres: tuple[tuple[str, float], ...] = ()

    def parse(self, gold: str) -> str:
        """The same sentences with predicted HEAD and DEPREL, other columns empty.

        Every sentence is a tree with one root. Same gold and system, same bytes.
        """
        text = trees(gold)
        stamp = crc32(gold.encode())
        draws = uniform((self.seed, stamp), 9, len(text.at))
        odds = self._odds(text, hardness(stamp, text))
        fate = fates(stamp, draws[:4])
        head, relation = move_roots(text, odds, fate[0], draws[4])
        wrong = (fate[1] < odds / (1 + odds)) & (head > 0)
        guess = np.where(wrong, wrong_heads(text, head, draws[5:8]), head)
        guess = np.where(reaches_root(text, guess), guess, head)
        label = self._labels(relation, guess != text.head, fate[2], draws[8])
        return text.written(guess, label)

    def _odds(self, text: Trees, hard: Floats) -> Floats:
        ease = np.where(IS_FUNCTION[text.relation], self.function_ease, 1.0)
        span = np.where(text.head > 0, np.abs(text.at - text.head) - 1, 0)
        distance = 1 + self.distance_slope * np.minimum(span, 15)
        length = 1 + self.length_slope * np.maximum(text.size - 8, 0)
        odds: Floats = self.arc_error * hard * HARDNESS[text.relation] * ease
        odds = odds * distance * length
        for genre, factor in self.genres:
            odds = np.where(text.genre == genre, odds * factor, odds)
        return odds

    def _labels(self, relation: Ints, astray: Mask, *luck: Floats) -> Ints:
        """Labels confused within their kind, more often where the head is wrong."""
        ease = np.where(IS_FUNCTION[relation], self.function_ease / 2, 1.0)
        odds = self.label_error * ease * np.where(astray, 5.0, 1.0)
        other = CONFUSION[relation, (luck[1] * CHOICES).astype(np.int64)]
        return np.where(luck[0] < odds / (1 + odds), other, relation)


def uniform(seed: tuple[int, ...], rows: int, columns: int) -> Floats:
    """Numbers in [0, 1) from the raw stream, the same on every platform."""
    raw = np.random.PCG64(list(seed)).random_raw(rows * columns)
    numbers: Floats = (raw >> 11).astype(np.float64) * 2.0**-53
    return numbers.reshape(rows, columns)


def fates(stamp: int, own: Floats) -> Floats:
    """Three numbers in [0, 1) per word that decide over errors.

    For a share of the words they are the same for all parsers, because real parsers
    stumble over the same words; `own` has one row to choose by and three to use.
    """
    common = uniform((stamp, 1), 3, own.shape[1])
    return np.where(own[0] < SHARED_FATE, common, own[1:])


def hardness(stamp: int, text: Trees) -> Floats:
    """How hard each word is for everybody, so that parsers err in the same places."""
    word, sentence = uniform((stamp,), 2, len(text.at))
    kind = np.ones(len(text.at))
    for genre, factor in HARD_GENRES.items():
        kind = np.where(text.genre == genre, factor, kind)
    hard: Floats = kind * 0.4 / (0.15 + word) * (0.6 + 0.8 * sentence[text.start])
    return hard


def move_roots(text: Trees, odds: Floats, *luck: Floats) -> tuple[Ints, Ints]:
    """A dependent of the root changes places with it in unlucky sentences."""
    root = text.start[text.head == 0] + text.at[text.head == 0] - 1
    first = text.start[text.head == 0]
    mine = np.repeat(root, text.size[first])
    able = (text.head == text.at[mine]) & MAY_BE_ROOT[text.relation]
    score = np.where(able, luck[1] + 1, 0.0)
    best = np.maximum.reduceat(score, first)
    taken = (best > 0) & (luck[0][root] < odds[root] / (1 + odds[root]))
    heir = np.flatnonzero((score == np.repeat(best, text.size[first])) & able)
    heir, root = heir[taken[best > 0]], root[taken]
    head, relation = text.head.copy(), text.relation.copy()
    verb = text.tag[root] == TAG["VERB"]
    head[root] = text.at[heir]
    relation[root] = np.where(verb, CODE["advcl"], CODE["nmod"])
    head[heir], relation[heir] = 0, CODE["root"]
    return head, relation


def wrong_heads(text: Trees, head: Ints, luck: Floats) -> Ints:
    """Another head for every word: near the right one, above it, or near the word.

    Words that cannot have dependents pass the arc on to their own head. A word
    with no other possible head keeps the right one.
    """
    kind, far, side = luck
    sign = np.where(side < 0.5, -1, 1)
    above = head[text.index(np.maximum(head, 1))]
    drawn = np.select(
        [kind < 0.42, kind < 0.68, kind < 0.88],
        [head + sign * (1 + (3 * far).astype(np.int64)), above, text.at + sign],
        1 + (far * text.size).astype(np.int64),
    )
    drawn = np.clip(drawn, 1, text.size)
    weak = np.isin(text.tag[text.index(drawn)], HEADLESS)
    drawn = np.where(weak, head[text.index(drawn)], drawn)
    result = head
    for choice in (text.at - 1, text.at + 1, above, drawn):
        fits = (choice > 0) & (choice <= text.size)
        fits &= (choice != text.at) & (choice != head)
        result = np.where(fits, choice, result)
    return result


def reaches_root(text: Trees, head: Ints) -> Mask:
    """Whether each word's chain of heads ends at the root, not in a cycle."""
    up = np.where(head > 0, text.index(head), np.arange(len(head)))
    for _ in range(WORD_LIMIT_LOG2):
        up = up[up]
    ends: Mask = head[up] == 0
    return ends
