"""Words of a system's long output, laid out on the segments of the reference.

SoftSegmenter (Polák and others 2025): the alignment of all words of a recording with
the most similarity, in which words may be left out on both sides at no cost. A word
that has no partner goes to the neighbour that it is more like.
"""

from collections.abc import Sequence
from unicodedata import normalize

import numpy as np

from scoring.counts import Floats
from scoring.formats import codes

# Full stops and the like; those of East Asia that are as wide as letters by number.
WIDE = range(0xFF01, 0xFF20)
PUNCTUATION = frozenset(
    [
        *".!?,;:-()",
        *"\u3002\u2014\u30fc",
        *(chr(c) for c in WIDE if chr(c - 0xFEE0) in "!?,;:()"),
    ]
)
PAIR, LEFT_OUT, ADDED = 0, 1, 2
NOWHERE = -1


def segments_of(
    reference: Sequence[str],
    segments: Sequence[int],
    words: Sequence[str],
    *,
    characters: bool,
) -> list[int]:
    """The segment of each word of a system, NOWHERE for a mark of punctuation before
    all words; `segments` are those of the words of the reference, one or more."""
    likeness = Likeness(
        [comparable(word.lower()) for word in reference],
        [comparable(word) for word in words],
        characters,
    )
    path = _path(likeness)
    coming = [NOWHERE] * (len(path) + 1)
    for place in reversed(range(len(path))):
        own = path[place][0]
        coming[place] = coming[place + 1] if own == NOWHERE else own
    placed = [NOWHERE] * len(words)
    before, ahead = NOWHERE, False
    for place, (own, word) in enumerate(path):
        if own != NOWHERE:
            before, ahead = own, False
        elif not ahead:
            after = coming[place]
            ahead = likeness.of(after, word) > likeness.of(before, word)
        if word != NOWHERE:
            partner = coming[place] if ahead else before
            placed[word] = NOWHERE if partner == NOWHERE else segments[partner]
    return placed


def _path(likeness: "Likeness") -> list[tuple[int, int]]:
    """The alignment: pairs of a word of the reference and one of the system, one of
    which may be NOWHERE. Of equal alignments pairs at the end go first, then words of
    the reference that are left out."""
    rows, columns = likeness.sizes
    steps = np.full((rows + 1, columns + 1), ADDED, dtype=np.uint8)
    steps[1:, 0] = LEFT_OUT
    best = np.zeros(columns + 1)
    for row in range(rows):
        paired = best[:-1] + likeness.row(row)
        without = best[1:]
        best = np.zeros(columns + 1)
        np.maximum.accumulate(np.maximum(paired, without), out=best[1:])
        best[1:] = np.maximum(best[1:], 0)
        added = best[:-1]
        own = np.where(without >= added, LEFT_OUT, ADDED)
        own[(paired >= without) & (paired >= added)] = PAIR
        steps[row + 1, 1:] = own
    path, row, column = [], rows, columns
    while row or column:
        step = steps[row, column]
        row, column = row - (step != ADDED), column - (step != LEFT_OUT)
        path.append(
            (NOWHERE if step == ADDED else row, NOWHERE if step == LEFT_OUT else column)
        )
    return path[::-1]


def comparable(word: str) -> str:
    return normalize("NFKC", word).lower()


class Likeness:
    """How much words of the reference are like those of a system: the share of the
    letters of both that both have, or 1 for equal ones where these are `characters`. A
    mark of punctuation is like no word."""

    def __init__(
        self, reference: Sequence[str], words: Sequence[str], characters: bool
    ) -> None:
        self.reference, self.words = codes.of_texts(reference), codes.of_texts(words)
        self.sizes = len(reference), len(words)
        self.characters = characters
        self.marks = np.array([w in PUNCTUATION for w in self.words.values], np.bool_)
        letters = [set(word) for word in self.words.values]
        self.letters = {c: i for i, c in enumerate(sorted(set().union(*letters)))}
        self.held = np.zeros((len(self.letters), len(letters)), dtype=np.int32)
        for place, own in enumerate(letters):
            self.held[[self.letters[letter] for letter in own], place] = 1
        self.number = self.held.sum(axis=0)

    def row(self, place: int) -> Floats:
        """The likeness of one word of the reference to all of the system (words,)."""
        word = self.reference.values[self.reference.codes[place]]
        if self.characters:
            like = np.array([word == other for other in self.words.values], np.float64)
        else:
            own = set(word)
            places = [self.letters[letter] for letter in own if letter in self.letters]
            both = self.held[places].sum(axis=0)
            like = both / np.maximum(self.number + len(own) - both, 1)
        like = np.where(self.marks == (word in PUNCTUATION), like, -np.inf)
        return np.asarray(like[self.words.codes], dtype=np.float64)

    def of(self, place: int, word: int) -> float:
        """The likeness of two words; less than any where the reference has none."""
        if place == NOWHERE:
            return -np.inf
        own = self.reference.values[self.reference.codes[place]]
        other = self.words.values[self.words.codes[word]]
        if (own in PUNCTUATION) != (other in PUNCTUATION):
            return -np.inf
        if self.characters:
            return float(own == other)
        return len({*own} & {*other}) / max(len({*own, *other}), 1)
