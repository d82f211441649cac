"""Ways to count offsets, told by spans that cut words where another way would not."""

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

from scoring.scorers.spans.annotations import MOSTLY, Document

# So many spans are looked at, and so many are needed to say something.
MOST, FEWEST = 500, 3
SPACED = "\u0e00"
# What is added to start and end by other ways of counting.
WAYS = {"inclusive": (0, 1), "from_1": (-1, -1), "from_1_inclusive": (-1, 0)}


@dataclass
class OffsetCounts:
    """Spans of texts with offsets: how many would fit by each of the other `ways`, and
    how many `behind` a character that is `doubled` would fit if that counted as two:
    one beyond U+FFFF, or a line end."""

    spans: int = 0
    ways: Counter[str] = field(default_factory=Counter)
    behind: Counter[str] = field(default_factory=Counter)
    shifted: Counter[str] = field(default_factory=Counter)
    cut: list[str] = field(default_factory=list)
    padded: list[str] = field(default_factory=list)

    def add(self, text: str, document: Document) -> None:
        """Note the spans of a document over its text."""
        if self.spans >= MOST:
            return
        doubled = {"line_ends": [*map(re.Match.start, re.finditer("\n", text))]}
        if not text.isascii() and max(text) > "\uffff":
            far = [place for place, c in enumerate(text) if c > "\uffff"]
            doubled = {"utf16": far, **doubled}
        extents = zip(document.starts.tolist(), document.ends.tolist(), strict=True)
        for start, end in extents:
            self.spans += 1
            if _cuts(text, start) or _cuts(text, end) or text[start:end].isspace():
                self.cut.append(text[start:end])
            elif text[start:end] != text[start:end].strip(" \n\t"):
                self.padded.append(text[start:end])
            starts, ends = _begins(text, start), _ends(text, end)
            if not (starts and ends):
                self.ways.update(
                    way
                    for way, (first, last) in WAYS.items()
                    if start + first >= 0
                    and _begins(text, start + first)
                    and _ends(text, end + last)
                )
            for way, far in doubled.items():
                if not far or far[0] >= start:
                    continue
                units = _units(far, start), _units(far, end)
                self.behind[way] += 1
                fits = _begins(text, units[0]) and _ends(text, units[1])
                self.shifted[way] += fits and not (starts and ends)

    @property
    def way(self) -> str:
        """The likely way of counting, empty where it is the right one or in doubt."""
        for way in WAYS:
            if self.ways[way] >= max(FEWEST, MOSTLY * self.spans):
                return way
        for way, count in self.shifted.items():
            if count >= max(FEWEST, MOSTLY * self.behind[way]):
                return way
        return ""

    @property
    def cut_word(self) -> str:
        """The text of a span, where most of them cut words that spaces divide."""
        many = 2 * len(self.cut) > self.spans and len(self.cut) >= FEWEST
        return self.cut[0] if many else ""

    @property
    def padded_word(self) -> str:
        """The text of a span, where most of them hold a space before or behind."""
        many = 2 * len(self.padded) > self.spans and len(self.padded) >= FEWEST
        return self.padded[0] if many else ""


def _cuts(text: str, place: int) -> bool:
    """Whether a word goes on over this place, in alphabets that write spaces."""
    around = text[max(place - 1, 0) : place + 1]
    return len(around) == 2 and around.isalpha() and max(around) < SPACED


def _units(far: list[int], offset: int) -> int:
    """The place of a character whose offset counts those at `far` as two."""
    units = range(len(far))
    return offset - bisect_left(units, offset, key=lambda n: far[n] + n)


def _begins(text: str, place: int) -> bool:
    """Whether no word goes on over this place from the left."""
    return place < 1 or not (text[place - 1 : place] + " ")[0].isalnum()


def _ends(text: str, place: int) -> bool:
    """Whether the character before is of a word, and the next is of none."""
    return text[place - 1 : place].isalnum() and not text[place : place + 1].isalnum()
