"""ROUGE, exact match, token F1 and similarity of each text with its best reference."""

from collections.abc import Callable, Sequence

import numpy as np
from rapidfuzz.distance import LCSseq, Levenshtein

from scoring.counts import Flags, Floats, Integers
from scoring.measures import ratio_or_zero
from scoring.scorers.texts.ngrams import Sequences, matches, of_words
from scoring.scorers.texts.words import normalise

GLEU, GLEU_ORDERS = ("match[gleu]", "all[gleu]"), 4
Column = Sequence[str | None]
Values = dict[str, Floats]


def rouge(
    system: Sequence[str],
    references: Sequence[Column],
    words: Callable[[str], list[str]],
) -> Values:
    """Precision, recall and F of ROUGE-1, 2 and L for each text, against the reference
    with the best F."""
    sides = of_words([[words(text or "") for text in c] for c in (system, *references)])
    there = _there(references)
    own, others = sides[0], sides[1:]
    matching = matches(own, others, 2)
    values: Values = {}
    for order in (1, 2):
        grams = np.stack([side.grams(order) for side in others])
        values |= _best(
            f"rouge{order}", matching[order - 1], own.grams(order), grams, there
        )
    common = np.stack([_subsequences(own, other) for other in others])
    sizes = np.stack([side.sizes for side in others])
    return values | _best("rougeL", common, own.sizes, sizes, there)


def gleu(
    system: Sequence[str],
    references: Sequence[Column],
    words: Callable[[str], list[str]],
) -> Values:
    """N-grams of one to four words in common with the reference with the best share,
    and the number of those of the longer text (Wu and others 2016)."""
    sides = of_words([[words(text or "") for text in c] for c in (system, *references)])
    own, others = sides[0], sides[1:]
    matching = matches(own, others, GLEU_ORDERS).sum(axis=0)
    sizes = [_grams_up_to(side) for side in sides]
    whole = np.maximum(sizes[0], np.stack(sizes[1:]))
    shares = ratio_or_zero(matching.astype(np.float64), whole.astype(np.float64))
    best = np.argmax(np.where(_there(references) & (whole > 0), shares, -1), axis=0)
    rows = np.arange(len(own))
    there = _there(references)[best, rows]
    parts = zip(GLEU, (matching, whole), strict=True)
    return {name: np.where(there, part[best, rows], 0.0) for name, part in parts}


def _grams_up_to(side: Sequences) -> Integers:
    counts = [side.grams(order) for order in range(1, GLEU_ORDERS + 1)]
    return np.asarray(np.sum(counts, axis=0), dtype=np.int64)


def _there(references: Sequence[Column]) -> Flags:
    return np.array([[text is not None for text in c] for c in references], np.bool_)


def _best(
    name: str, matching: Integers, own: Integers, theirs: Integers, there: Flags
) -> Values:
    """Values of the reference with the best F: of (references, texts) each."""
    precision, recall, f = _of_shared(matching, own, theirs)
    best = np.argmax(np.where(there, f, -1), axis=0)
    rows = np.arange(matching.shape[1])
    parts = (("", f), ("_precision", precision), ("_recall", recall))
    return {f"{name}{end}": values[best, rows] for end, values in parts}


def _of_shared(
    matching: Integers, own: Integers, theirs: Integers
) -> tuple[Floats, Floats, Floats]:
    """Precision, recall and F of what is shared, 0 where a side has nothing."""
    shared = matching.astype(np.float64)
    precision = ratio_or_zero(shared, own.astype(np.float64))
    recall = ratio_or_zero(shared, theirs.astype(np.float64))
    return precision, recall, ratio_or_zero(2 * precision * recall, precision + recall)


def _subsequences(own: Sequences, other: Sequences) -> Integers:
    """Lengths of the longest common subsequences (texts,)."""
    pairs = zip(_split(own), _split(other), strict=True)
    lengths = (LCSseq.similarity(ours, theirs) for ours, theirs in pairs)
    return np.fromiter(lengths, dtype=np.int64, count=len(own))


def _split(side: Sequences) -> list[list[int]]:
    codes, ends = side.codes.tolist(), np.cumsum(side.sizes).tolist()
    return [codes[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def answers(
    system: Sequence[str], references: Sequence[Column], normalisation: str
) -> Values:
    """Exact match and token F1 of each text with the best of its references.

    References of which normalisation leaves nothing count only where an item has no
    other: then it has no answer, and an empty text is right.
    """
    own = [normalise(text, normalisation) for text in system]
    others: list[list[str | None]] = [
        [text if text is None else normalise(text, normalisation) for text in column]
        for column in references
    ]
    empty = np.array([[text == "" for text in column] for column in others], np.bool_)
    filled = np.array([[bool(text) for text in column] for column in others], np.bool_)
    there = filled | (empty & ~filled.any(axis=0))
    same = np.array(
        [[a == b for a, b in zip(own, column, strict=True)] for column in others],
        dtype=np.bool_,
    )
    columns: list[Column] = [own, *others]
    sides = of_words([[(text or "").split() for text in c] for c in columns])
    matching = matches(sides[0], sides[1:], 1)[0]
    sizes = np.stack([side.sizes for side in sides[1:]])
    f1 = _of_shared(matching, sides[0].sizes, sizes)[2]
    # Without words on either side there is nothing to share: equal is all or nothing.
    f1 = np.where((sides[0].sizes == 0) | (sizes == 0), same, f1)
    return {
        "exact_match": (same & there).any(axis=0).astype(np.float64),
        "f1": np.where(there, f1, 0).max(axis=0),
    }


def similarity(system: Sequence[str], references: Sequence[Column]) -> Values:
    """1 - edits / length of the longer text, in characters, with the closest
    reference."""
    values = [
        max(
            Levenshtein.normalized_similarity(text, other)
            for other in others
            if other is not None
        )
        for text, *others in zip(system, *references, strict=True)
    ]
    return {"similarity": np.array(values, dtype=np.float64)}
