"""Lemmas and grammatical features: when they agree, and how far (seed 000)."""

from collections.abc import Mapping, Sequence

import numpy as np

from scoring.counts import Floats, Integers
from scoring.formats.codes import Flags

YO, YE = "\u0451", "\u0435"


def alike_lemmas(system: list[str], gold: list[str]) -> Flags:
    """Lower-cased, U+0451 taken for U+0435, nothing else."""
    pairs = zip(_folded(system), _folded(gold), strict=True)
    return np.array([found == wanted for found, wanted in pairs], dtype=np.bool_)


def _folded(lemmas: list[str]) -> list[str]:
    """What comes before or after a line end does not change how a text is lowered."""
    return "\n".join(lemmas).lower().replace(YO, YE).split("\n")


Categories = dict[str, str]


def categories(feats: str) -> Categories:
    """`A=b|C=d` as a dictionary (SCORING.md, `semarkup`, "FEATS").

    The last of a repeated key wins; a bare key has the value "", and "_" is the same.
    """
    found = {}
    for part in feats.split("|"):
        name, _, value = part.partition("=")
        if name not in ("", "_"):
            found[name] = "" if value == "_" else value
    return found


class Features:
    """The categories of some distinct FEATS, one after the other.

    `sizes` (texts,) are their numbers; `items` and `weights` (sum of sizes,) are what
    each is, as a code of category and value, and what it weighs.
    """

    def __init__(
        self,
        parsed: Sequence[Categories],
        known: dict[tuple[str, str], int],
        weights: Mapping[str, float],
    ) -> None:
        pairs = [pair for found in parsed for pair in found.items()]
        codes = [known.setdefault(pair, len(known)) for pair in pairs]
        self.sizes = np.array([len(found) for found in parsed], dtype=np.int64)
        self.begins = np.cumsum(self.sizes) - self.sizes
        self.of = np.repeat(np.arange(len(parsed)), self.sizes)
        self.items = np.array(codes, dtype=np.int64)
        self.weights = np.array([weights.get(name, 0.0) for name, _ in pairs])
        self.whole = np.bincount(self.of, self.weights, len(parsed))


def feats_scores(
    answers: Features, wanted: Features, pairs: tuple[Integers, Integers]
) -> Floats:
    """Weighted share of the gold's categories that the system has right, 0 to 1.

    `pairs` are the places of an answer and of a gold FEATS (n,). A share is divided by
    one more for each category beyond the number in the gold. With an empty gold it is
    1 for an empty answer, else 0.
    """
    answered, golds = pairs
    sizes = wanted.sizes[golds]
    # All categories of the first gold FEATS, then of the second, ...
    pair_of = np.repeat(np.arange(len(golds)), sizes)
    steps = np.arange(len(pair_of)) - (np.cumsum(sizes) - sizes)[pair_of]
    place = wanted.begins[golds][pair_of] + steps
    span = 1 + max(answers.items.max(initial=0), wanted.items.max(initial=0))
    has = answers.of * span + answers.items
    right = np.isin(answered[pair_of] * span + wanted.items[place], has)
    # Summed in the order in which they are written.
    earned = np.bincount(pair_of, right * wanted.weights[place], len(golds))
    share = earned / np.where(sizes > 0, wanted.whole[golds], 1)
    many = answers.sizes[answered]
    share = share / (1 + np.maximum(0, many - sizes))
    empty = (many == 0).astype(np.float64)
    return np.asarray(np.where(sizes > 0, share, empty), dtype=np.float64)
