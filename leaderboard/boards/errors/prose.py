"""A text with the spans of one side marked in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from scoring.inspection import Piece

WORST = ("match", "tagclash", "spanclash", "bothclash", "missing", "spurious")


@dataclass(frozen=True)
class Run:
    """A stretch of text under the same spans: the worst verdict among them, if any.

    `ending` are the spans that end behind it.
    """

    text: str
    verdict: str
    ending: tuple[Piece, ...]


def runs(text: str, pieces: Sequence[Piece]) -> list[Run]:
    """The whole text, cut where a span begins or ends."""
    cuts = sorted({0, len(text), *(end for p in pieces for end in (p.start, p.end))})
    opening: dict[int, list[Piece]] = {}
    for piece in pieces:
        opening.setdefault(piece.start, []).append(piece)
    found: list[Run] = []
    open_now: list[Piece] = []
    for start, end in pairwise(cuts):
        open_now = [p for p in open_now if p.end > start] + opening.get(start, [])
        verdict = max((p.verdict for p in open_now), key=WORST.index, default="")
        ending = tuple(p for p in open_now if p.end == end)
        found.append(Run(text[start:end], verdict, ending))
    return found
