"""A dependency tree as lines and texts at whole pixels; the template prints it.

What is wrong is told by shape as well as by colour: a wrong head is a dashed arc, a
wrong label stands in a box, a word without partner is crossed out.
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
class Spot:
    """A text at a place. `wrong` are class names."""

    x: str
    y: str
    text: str
    wrong: str = ""


@dataclass(frozen=True)
class Box:
    x: str
    y: str
    width: str


@dataclass(frozen=True)
class Arc:
    """A line from a head to a word, its arrow, its label, and the label's box.

    `title` says it in full where the ends may be far apart.
    """

    line: str
    arrow: str
    label: Spot
    box: Box
    wrong: str
    wrong_label: bool
    title: str = ""


@dataclass(frozen=True)
class Drawing:
    width: str
    height: str
    words: list[Spot]
    arcs: list[Arc]


def drawing(words: Sequence[TreeWord]) -> Drawing | None:
    """None for no words, or for more than can be drawn."""
    if not words or len(words) > MOST_WORDS:
        return None
    centres, width = _centres(words)
    levels = _levels(words)
    base = max(levels) * STEP + ROOM
    arcs = [
        _arc(words, place, centres, (levels[place], base))
        for place in range(len(words))
    ]
    spots = [
        Spot(str(x), str(base + 22), word.form, "alone" if "word" in word.wrong else "")
        for x, word in zip(centres, words, strict=True)
    ]
    return Drawing(str(width), str(base + FOOT), spots, arcs)


def cells(text: str) -> int:
    """How many letters wide a text is; ideographs take two."""
    wide = sum(east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(bool(combining(letter)) for letter in text)


def _centres(words: Sequence[TreeWord]) -> tuple[list[int], int]:
    """Where each word stands, with room for its form and its relation."""
    centres, edge = [], GAP // 2
    for word in words:
        room = max(
            cells(word.form) * LETTER, cells(word.relation) * SMALL_LETTER, LEAST
        )
        centres.append(edge + (room + GAP) // 2)
        edge += room + GAP
    return centres, edge + GAP // 2


def _ends(words: Sequence[TreeWord], place: int) -> tuple[int, int]:
    """Left and right word of the arc above a word; its own place twice for a stub."""
    head = words[place].head
    if head in (ROOT, OUTSIDE):
        return place, place
    return min(place, head - 1), max(place, head - 1)


def _levels(words: Sequence[TreeWord]) -> list[int]:
    """How high each arc goes; stubs on top."""
    ends = [_ends(words, place) for place in range(len(words))]
    found = levels(ends)
    highest = 1 + max(found)
    return [
        level if left != right else highest
        for (left, right), level in zip(ends, found, strict=True)
    ]


def levels(ends: Sequence[tuple[int, int]]) -> list[int]:
    """From 1 on: above all shorter ones that it meets; 0 where both ends are one."""
    found = [0] * len(ends)
    done: list[int] = []
    arcs = [p for p, (left, right) in enumerate(ends) if left != right]
    for place in sorted(arcs, key=lambda p: ends[p][1] - ends[p][0]):
        left, right = ends[place]
        under = (found[p] for p in done if ends[p][0] < right and left < ends[p][1])
        found[place] = 1 + max(under, default=0)
        done.append(place)
    return found


def _arc(
    words: Sequence[TreeWord], place: int, centres: list[int], at: tuple[int, int]
) -> Arc:
    word, (level, base) = words[place], at
    top, x = base - level * STEP, centres[place]
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
    kinds = [kind for kind in word.wrong if kind in ("head", "word")]
    text = word.relation if word.head != OUTSIDE else f"{word.relation} …"
    wide = cells(text) * SMALL_LETTER + 10
    return Arc(
        line=line,
        arrow=f"M{x - 4} {base - 7}L{x} {base}L{x + 4} {base - 7}Z",
        label=Spot(str(middle), str(top + 4), text),
        box=Box(str(middle - wide // 2), str(top - 9), str(wide)),
        wrong=" ".join(f"wrong-{kind}" for kind in kinds),
        wrong_label="label" in word.wrong,
    )
