"""UNL documents with mistakes: other relations, lost attributes, other words."""

import re
from collections.abc import Mapping, Sequence
from random import Random

from scoring.spoiling.choosing import another, some

BLOCK = re.compile(r"\{(?P<name>unl|org:\w+|[a-z]{2})\}(?P<text>.*?)\{/", re.DOTALL)
# A relation begins an expression: at a line's start, or after the one before.
LABEL = re.compile(r"(?:(?<=\n)|(?<=\}\s)|(?<=\)\s)|(?<=\}))[a-z]{2,4}(?=(?::\w+)?\()")
ATTRIBUTE = re.compile(r"\.@\w+")
WORD = re.compile(r"[^\s\[\]{}]+")
SPARE = ("mod", "aoj")

Piece = tuple[int, int, str]  # where it begins and ends, and what stands there


def spoiled_unl(
    texts: Mapping[str, str], share: float, random: Random
) -> dict[str, str]:
    return {name: _spoiled(text, share, random) for name, text in texts.items()}


def _spoiled(text: str, share: float, random: Random) -> str:
    graphs, words = _pieces(text)
    chosen = [*some(graphs, share, random), *some(words, share, random)]
    labels = [piece for _, _, piece in graphs if not piece.startswith(".")]
    pools = {True: [*labels, *SPARE], False: [piece for *_, piece in words]}
    known = set(graphs)
    for start, end, piece in sorted(chosen, reverse=True):
        new = ""
        if not piece.startswith(".@"):
            pool = pools[(start, end, piece) in known]
            new = another(pool, piece, random) or piece
        text = text[:start] + new + text[end:]
    return text


def _pieces(text: str) -> tuple[Sequence[Piece], Sequence[Piece]]:
    """Labels and attributes of graphs; words of texts."""
    graphs: list[Piece] = []
    words: list[Piece] = []
    for block in BLOCK.finditer(text):
        start, end = block.span("text")
        if block["name"] != "unl":
            words += _found(WORD, text, start, end)
            continue
        graphs += _found(LABEL, text, start, end)
        graphs += _found(ATTRIBUTE, text, start, end)
    return sorted(graphs), words


def _found(pattern: re.Pattern[str], text: str, start: int, end: int) -> list[Piece]:
    return [(m.start(), m.end(), m[0]) for m in pattern.finditer(text, start, end)]
