"""BLEU: clipped matches of 1 to 4 words, lengths, and the score of their sums.

Tokens are sacreBLEU's; so are the closest reference's length, the smoothing ("exp")
and a score of 0 where a file has no four words in a row or no word right.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from scoring.counts import Floats, Integers
from scoring.scorers.texts.ngrams import matches, of_words

ORDERS = range(1, 5)
COLUMNS = (
    *(f"bleu_correct{n}" for n in ORDERS),
    *(f"bleu_total{n}" for n in ORDERS),
    "bleu_sys_len",
    "bleu_ref_len",
)

Tokenizer = Callable[[str], str]


def statistics(
    system: Sequence[str],
    references: Sequence[Sequence[str | None]],
    tokenizer: Tokenizer,
) -> Integers:
    """The columns of each segment (segments, columns); None stands for a reference that
    a segment has not got."""
    texts = of_words(
        [
            [tokenizer(text.rstrip()).split() if text else [] for text in column]
            for column in (system, *references)
        ]
    )
    correct = matches(texts[0], texts[1:], len(ORDERS), merged=True)[:, 0]
    totals = [texts[0].grams(n) for n in ORDERS]
    there = [[text is not None for text in column] for column in references]
    lengths = np.stack([side.sizes for side in texts[1:]])
    closest = _closest(texts[0].sizes, lengths, np.array(there, dtype=np.bool_))
    return np.stack([*correct, *totals, texts[0].sizes, closest], axis=1)


def _closest(own: Integers, lengths: Integers, there: np.ndarray) -> Integers:
    """The length (segments,) of the references (references, segments) that is closest
    to the system's own, the shorter of two."""
    most = int(max(own.max(initial=0), lengths.max(initial=0))) + 1
    # Distance first, then length: one number orders by both.
    rank = np.abs(lengths - own) * most + lengths
    rank[~there] = most * most
    return np.asarray(rank.min(axis=0) % most, dtype=np.int64)


def score(*columns: Floats) -> Floats:
    """BLEU (0 to 1) of summed counts.

    Roots are the same to the last digit everywhere, as logarithms are not.
    """
    correct, total = columns[: len(ORDERS)], columns[len(ORDERS) : 2 * len(ORDERS)]
    own, reference = columns[-2:]
    smoothing = np.ones(np.shape(own))
    product = np.ones(np.shape(own))
    for right, whole in zip(correct, total, strict=True):
        smoothing = np.where(right == 0, 2 * smoothing, smoothing)
        part = np.where(right == 0, 1 / smoothing, right)
        product *= part / np.maximum(whole, 1)
    some = (np.add.reduce(correct) > 0) & (total[-1] > 0)
    short = np.minimum(0, 1 - reference / np.maximum(own, 1))
    return np.where(some, _penalty(short) * np.sqrt(np.sqrt(product)), 0.0)


def _penalty(short: Floats) -> Floats:
    """exp(short), by the one exponential that no version of numpy changes."""
    penalty = np.ones(np.shape(short))
    below = short < 0
    penalty[below] = list(map(math.exp, short[below].tolist()))
    return penalty
