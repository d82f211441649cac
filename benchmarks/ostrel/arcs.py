"""Gold trees of a whole file as arrays, and predictions back as CoNLL-U text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

CONTENT = """
root nsubj nsubjpass dobj iobj csubj ccomp xcomp nmod nmod:poss nmod:tmod amod
advmod advcl acl acl:relcl appos compound compound:prt name nummod conj parataxis
vocative discourse
"""
FUNCTION = "det case mark cc aux auxpass cop neg expl mwe"
RELATIONS = [*CONTENT.split(), *FUNCTION.split(), "punct"]
CODE = {relation: code for code, relation in enumerate(RELATIONS)}
UPOS = "ADJ ADP ADV AUX CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ VERB"
TAGS = UPOS.split()
TAG = {upos: code for code, upos in enumerate(TAGS)}


@dataclass(frozen=True, eq=False)
class Trees:
    """All words of a file in a row (arrays of one length, except `genres`).

    `at` counts words from 1 within the sentence, `start` is the index of its
    first word, `size` its length, `head` a position as in the file (0 is the root).
    """

    at: Ints
    start: Ints
    size: Ints
    head: Ints
    relation: Ints
    tag: Ints
    genre: NDArray[np.str_]
    before: list[str]
    after: list[str]

    def index(self, position: Ints) -> Ints:
        """Places in the row of the words at these positions of their sentences."""
        return self.start + position - 1

    def written(self, head: Ints, relation: Ints) -> str:
        """The file with these heads and relations and no other annotation."""
        arcs = ARC[relation, head].tolist()
        parts: Iterable[str] = chain.from_iterable(
            zip(self.before, arcs, self.after, strict=True)
        )
        return "".join(parts)


LONGEST = 64
ARC = np.array(
    [[f"{head}\t{relation}" for head in range(LONGEST)] for relation in RELATIONS],
    dtype=object,
)


def split(block: str) -> tuple[str, list[list[str]]]:
    """The comment lines of a sentence and the ten cells of each of its words."""
    lines = block.split("\n")
    words = [line for line in lines if line[0] != "#"]
    comments = "".join(line + "\n" for line in lines if line[0] == "#")
    return comments, [line.split("\t") for line in words]


def frame(comments: str, rows: list[list[str]]) -> tuple[list[str], list[str]]:
    """The text before and after head and relation, word by word."""
    before = [f"{row[0]}\t{row[1]}\t_\t_\t_\t_\t" for row in rows]
    after = [f"\t_\t{row[9]}\n" for row in rows]
    before[0] = comments + before[0]
    after[-1] += "\n"
    return before, after


def genre_of(comments: str) -> str:
    return comments.split("# genre = ")[1].split("\n")[0]


@lru_cache(maxsize=8)
def trees(gold: str) -> Trees:
    """Read CoNLL-U made by `language.corpus` (no ranges, no empty nodes)."""
    blocks = [split(block) for block in gold.strip("\n").split("\n\n")]
    frames = [frame(comments, rows) for comments, rows in blocks]
    words = [row for _, rows in blocks for row in rows]
    size = np.array([len(rows) for _, rows in blocks])
    genres = np.array([genre_of(comments) for comments, _ in blocks])
    return Trees(
        at=np.array([int(row[0]) for row in words]),
        start=np.repeat(np.cumsum(size) - size, size),
        size=np.repeat(size, size),
        head=np.array([int(row[6]) for row in words]),
        relation=np.array([CODE[row[7]] for row in words]),
        tag=np.array([TAG[row[3]] for row in words]),
        genre=np.repeat(genres, size),
        before=[text for before, _ in frames for text in before],
        after=[text for _, after in frames for text in after],
    )
