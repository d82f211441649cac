"""Texts against references, word by word, for the error browser."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from rapidfuzz.distance import Levenshtein

from scoring.counts import Flags
from scoring.inspection import Inspection, ItemTable, Picture, Piece

# Scripts without spaces are compared character by character.
ALONE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff"
)
MARKS = (
    r"!-/:-@\[-`{-~\u00a1\u00ab\u00b7\u00bb\u00bf\u060c\u061b\u061f\u0964\u0965"
    r"\u2010-\u205e\u3001-\u303f\uff01-\uff0f\uff1a-\uff20"
)
TOKEN = re.compile(rf"[^\s{ALONE}{MARKS}]+|\S")
WORD = re.compile(r"\S+")
KINDS = ("substitution", "deletion", "insertion")
NAMES = {"replace": "substitution", "delete": "deletion", "insert": "insertion"}
COLUMNS = ("verdict", "gold_text", "system_text")
MATCH = "match"


@dataclass(frozen=True)
class Stretch:
    """Words of the gold, from the first up to the second place, that stand for words
    of the system; `kind` as NAMES has it, or MATCH."""

    kind: str
    gold: tuple[int, int]
    system: tuple[int, int]


@dataclass(frozen=True)
class Alignment:
    """A reference and a system's text, and what of one stands for what of the other.

    The words are those that `pattern` finds.
    """

    gold: str
    system: str
    pattern: re.Pattern[str] = TOKEN

    @cached_property
    def words(self) -> tuple[list[re.Match[str]], list[re.Match[str]]]:
        return tuple(list(self.pattern.finditer(t)) for t in (self.gold, self.system))  # type: ignore[return-value]

    @cached_property
    def stretches(self) -> list[Stretch]:
        gold, system = ([word[0] for word in side] for side in self.words)
        return [
            Stretch(
                NAMES.get(op.tag, MATCH),
                (op.src_start, op.src_end),
                (op.dest_start, op.dest_end),
            )
            for op in Levenshtein.opcodes(gold, system)
        ]

    def size(self, stretch: Stretch) -> int:
        """How many words of either side a stretch has."""
        return max(
            stretch.gold[1] - stretch.gold[0], stretch.system[1] - stretch.system[0]
        )

    def extent(self, side: int, stretch: Stretch) -> tuple[int, int]:
        """First and last character of a stretch in the text of a side."""
        begin, end = (stretch.gold, stretch.system)[side]
        words = self.words[side]
        if begin == end:
            return 0, 0
        return words[begin].start(), words[end - 1].end()

    def text(self, side: int, stretch: Stretch) -> str:
        begin, end = self.extent(side, stretch)
        return (self.gold, self.system)[side][begin:end]

    def pieces(self, side: int) -> tuple[Piece, ...]:
        """Words of a side that the other has not got, or not there."""
        own = ((s, self.extent(side, s)) for s in self.stretches if s.kind != MATCH)
        return tuple(Piece(*where, "", s.kind) for s, where in own if where[1])


def closest(
    system: str, references: Sequence[str | None], pattern: re.Pattern[str] = TOKEN
) -> int:
    """The place of the reference with the fewest edits to the system's text, in words;
    of equal ones the first."""
    own = pattern.findall(system)
    edits = {
        place: Levenshtein.distance(pattern.findall(text), own)
        for place, text in enumerate(references)
        if text is not None
    }
    return min(edits, key=edits.__getitem__)


@dataclass(frozen=True)
class TextInspection:
    """The alignments of all segments. Every word that is changed, left out or added is
    an item of its own, matching words are one item a stretch."""

    alignments: Sequence[Alignment]

    @classmethod
    def of_closest(
        cls, system: Sequence[str], references: Sequence[Sequence[str | None]]
    ) -> "TextInspection":
        """Each text of a system beside the closest of its references, which are given
        in columns."""
        alignments = []
        for text, *others in zip(system, *references, strict=True):
            reference = others[closest(text, others) if len(others) > 1 else 0]
            alignments.append(Alignment(reference or "", text))
        return cls(alignments)

    def inspection(self) -> Inspection:
        """Items of all segments; a segment is as long as its reference has words."""
        kinds, units = [], []
        for unit, alignment in enumerate(self.alignments):
            for stretch in alignment.stretches:
                times = 1 if stretch.kind == MATCH else alignment.size(stretch)
                kinds += [stretch.kind] * times
                units += [unit] * times
        named = np.array(kinds, dtype=np.str_)
        wrong: dict[str, Flags] = {kind: named == kind for kind in KINDS}
        sizes = [len(alignment.words[0]) for alignment in self.alignments]
        return Inspection(
            np.array(sizes, dtype=np.int64),
            np.array(units, dtype=np.int64),
            wrong,
            self.picture,
        )

    def picture(self, unit: int) -> Picture:
        alignment = self.alignments[unit]
        rows = (
            (s.kind, alignment.text(0, s), alignment.text(1, s))
            for s in alignment.stretches
        )
        return Picture(
            ItemTable.by_verdict(COLUMNS, rows),
            pieces=(alignment.pieces(0), alignment.pieces(1)),
            texts=(alignment.gold, alignment.system),
        )
