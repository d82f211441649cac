"""A dependency tree as lines and texts at whole pixels; the template draws it.

Errors are told by shape as well as by colour: a wrong head is a dashed arc, a wrong
label stands in a box, a word without partner is crossed out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

from scoring.inspection import OUTSIDE, ROOT, TreeWord

MOST_WORDS = 150
LETTER, GAP, LEAST = 9, 22, 40  # pixels: a letter of a word, beside it, of any word
SMALL_LETTER = 8
STEP, CORNER, APART, ROOM = 26, 8, 5, 16
FOOT = 34  # for the words below the arcs


@dataclass(frozen=True)
class PlacedText:
    """A text at a place. `wrong` are class names."""

    x: int
    y: int
    text: str
    wrong: str = ""


@dataclass(frozen=True)
class ArcLabel:
    """A text in a box around its middle."""

    x: int
    y: int
    text: str

    @property
    def width(self) -> int:
        return label_width(self.text)

    @property
    def left(self) -> int:
        return self.x - self.width // 2

    @property
    def top(self) -> int:
        return self.y - 13


@dataclass(frozen=True)
class Arc:
    """A line from a head to a word, its arrow and its label.

    `title` says it in full where the ends may be far apart.
    """

    line: str
    arrow: str
    label: ArcLabel
    wrong: str
    wrong_label: bool
    title: str = ""


@dataclass(frozen=True)
class TreeDrawing:
    width: int
    height: int
    words: list[PlacedText]
    arcs: list[Arc]


def tree_drawing(words: Sequence[TreeWord]) -> TreeDrawing | None:
    """None for no words, or for more than can be drawn."""
    if not words or len(words) > MOST_WORDS:
        return None
    centres, width = _centres(words)
    heights = _arc_levels(words)
    base = max(heights) * STEP + ROOM
    arcs = [
        _arc(words, place, centres, base - height * STEP, base)
        for place, height in enumerate(heights)
    ]
    texts = [
        PlacedText(x, base + 22, word.form, "alone" if "word" in word.wrong else "")
        for x, word in zip(centres, words, strict=True)
    ]
    return TreeDrawing(width, base + FOOT, texts, arcs)


def cells(text: str) -> int:
    """The width of a text in letters; ideographs take two."""
    wide = sum(east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(bool(combining(letter)) for letter in text)


def label_width(text: str) -> int:
    return cells(text) * SMALL_LETTER + 10


def _centres(words: Sequence[TreeWord]) -> tuple[list[int], int]:
    """Places of the words, with room for form and relation of each, and the end."""
    centres, edge = [], GAP // 2
    for word in words:
        form, relation = cells(word.form) * LETTER, cells(word.relation) * SMALL_LETTER
        room = max(form, relation, LEAST)
        centres.append(edge + (room + GAP) // 2)
        edge += room + GAP
    return centres, edge + GAP // 2


def _arc_levels(words: Sequence[TreeWord]) -> list[int]:
    """Heights of the arcs; stubs, which have both ends at their word, on top."""
    ends = [
        (place, place)
        if word.head in (ROOT, OUTSIDE)
        else (min(place, word.head - 1), max(place, word.head - 1))
        for place, word in enumerate(words)
    ]
    heights = levels(ends)
    highest = 1 + max(heights)
    return [
        height if left != right else highest
        for (left, right), height in zip(ends, heights, strict=True)
    ]


def levels(ends: Sequence[tuple[int, int]]) -> list[int]:
    """From 1 on: above all shorter ones that it meets; 0 where both ends are one."""
    heights = [0] * len(ends)
    done: list[int] = []
    arcs = [p for p, (left, right) in enumerate(ends) if left != right]
    for place in sorted(arcs, key=lambda p: ends[p][1] - ends[p][0]):
        left, right = ends[place]
        under = (heights[p] for p in done if ends[p][0] < right and left < ends[p][1])
        heights[place] = 1 + max(under, default=0)
        done.append(place)
    return heights


def _arc(
    words: Sequence[TreeWord], place: int, centres: list[int], top: int, base: int
) -> Arc:
    word, x = words[place], centres[place]
    middle = x
    if word.head in (ROOT, OUTSIDE):
        line = f"M{x} {top}V{base}"
    else:
        start = centres[word.head - 1]
        side = 1 if x > start else -1
        first = start + side * APART
        middle = (first + x) // 2
        line = (
            f"M{first} {base}V{top + CORNER}Q{first} {top} {first + side * CORNER} "
            f"{top}H{x - side * CORNER}Q{x} {top} {x} {top + CORNER}V{base}"
        )
    text = word.relation if word.head != OUTSIDE else f"{word.relation} …"
    return Arc(
        line=line,
        arrow=f"M{x - 4} {base - 7}L{x} {base}L{x + 4} {base - 7}Z",
        label=ArcLabel(middle, top + 4, text),
        wrong=" ".join(f"wrong-{k}" for k in word.wrong if k in ("head", "word")),
        wrong_label="label" in word.wrong,
    )
