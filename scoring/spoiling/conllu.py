"""Trees with mistakes: words hang from the wrong word, or carry another's labels.

Sentences, words and roots stay, and so does every tree a tree: a word moves to the
root of its sentence, or from there to a sister.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from scoring.spoiling.choosing import some

ID, LEMMA, UPOS, FEATS, HEAD, DEPREL, DEPS, MISC = 0, 2, 3, 5, 6, 7, 8, 9
CELLS = 10


@dataclass
class TreeLine:
    """A word with the root and the other words of its sentence."""

    cells: list[str]
    sentence: list["TreeLine"]

    @property
    def is_root(self) -> bool:
        return self.cells[HEAD] == "0"


def spoiled_trees(
    texts: Mapping[str, str], share: float, random: Random
) -> dict[str, str]:
    cells = {
        name: [line.split("\t") for line in text.split("\n")]
        for name, text in texts.items()
    }
    words = [word for rows in cells.values() for word in _words(rows)]
    donors = [word for word in words if not word.is_root]
    for word in some(donors, share, random):
        _move(word, random)
        _relabel(word.cells, random.choice(donors).cells)
    return {
        name: "\n".join("\t".join(row) for row in rows) for name, rows in cells.items()
    }


def _words(rows: list[list[str]]) -> list[TreeLine]:
    found: list[TreeLine] = []
    sentence: list[TreeLine] = []
    for row in rows:
        if row == [""]:
            sentence = []
        elif len(row) == CELLS and row[ID].isdigit():
            sentence.append(TreeLine(row, sentence))
            found.append(sentence[-1])
    return found


def _move(word: TreeLine, random: Random) -> None:
    root = next((other for other in word.sentence if other.is_root), None)
    if root is None:
        return
    own, top = word.cells[ID], root.cells[ID]
    if word.cells[HEAD] != top:
        word.cells[HEAD] = top
        return
    sisters = [
        other.cells[ID]
        for other in word.sentence
        if other.cells[HEAD] == top and other.cells[ID] != own
    ]
    if sisters:
        word.cells[HEAD] = random.choice(sisters)


def _relabel(own: list[str], other: list[str]) -> None:
    """Take over what a system predicts, never what the text says."""
    for column in (LEMMA, UPOS, FEATS, DEPREL):
        own[column] = other[column]
    # Where these hold no key=value and no head:relation, they are labels as well.
    if ":" not in own[DEPS] + other[DEPS]:
        own[DEPS] = other[DEPS]
    if "=" not in own[MISC] + other[MISC]:
        own[MISC] = other[MISC]
