"""chrF and chrF++: matches of 1 to 6 characters, and of 1 and 2 words, and F2.

As in sacreBLEU, spaces are left out of the characters unless they are asked for, an
order in which a side has nothing does not count ("eff:yes"), and the reference with the
best score of a segment is the one that counts, the first of equal ones.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from scoring.counts import Floats, Integers
from scoring.scorers.texts.ngrams import Sequences, matches, of_characters, of_words

CHARACTERS, WORDS = 6, 2
BETA = 2
PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def _columns(prefix: str, orders: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        f"{prefix}_{kind}_{order}"
        for order in orders
        for kind in ("sys", "ref", "match")
    )


OF_CHARACTERS = tuple(f"c{n}" for n in range(1, CHARACTERS + 1))
OF_WORDS = tuple(f"w{n}" for n in range(1, WORDS + 1))
CHRF = _columns("chrf", OF_CHARACTERS)
CHRFPP = _columns("chrfpp", OF_CHARACTERS + OF_WORDS)
COLUMNS = CHRF + CHRFPP


def statistics(
    system: Sequence[str],
    references: Sequence[Sequence[str | None]],
    *,
    whitespace: bool = False,
) -> Integers:
    """The columns of chrF and chrF++ of each segment (segments, columns); None stands
    for a reference that a segment has not got."""
    texts = [[text or "" for text in column] for column in (system, *references)]
    bare = texts if whitespace else [["".join(t.split()) for t in c] for c in texts]
    characters = _orders(of_characters(bare), CHARACTERS)
    words = _orders(of_words([[*_words(column)] for column in texts]), WORDS)
    both = np.concatenate([characters, words], axis=1)
    return np.concatenate([_best(characters), _best(both)], axis=1)


def _orders(sides: list[Sequences], orders: int) -> Integers:
    """System's, reference's and matching n-grams, order by order, for each reference:
    (references, 3 x orders, segments)."""
    own, references = sides[0], sides[1:]
    matching = matches(own, references, orders)
    table = []
    for place, reference in enumerate(references):
        rows: list[Integers] = []
        for n in range(1, orders + 1):
            theirs = reference.grams(n)
            # Where the reference has none, those of the system are not held against it.
            ours = np.where(theirs > 0, own.grams(n), 0)
            rows += [ours, theirs, matching[n - 1, place]]
        table.append(rows)
    return np.array(table)


def _best(table: Integers) -> Integers:
    """Counts (segments, columns) of the best reference of each segment."""
    if len(table) == 1:
        return np.asarray(table[0].T)
    values = np.stack([score(*reference.astype(np.float64)) for reference in table])
    best = np.argmax(values, axis=0)
    return np.asarray(table[best, :, np.arange(table.shape[2])])


def _words(texts: Sequence[str]) -> Iterator[list[str]]:
    """Words of each text, with one mark of punctuation cut off the end, or else off the
    beginning, as the reference program of chrF++ does."""
    split_words: dict[str, tuple[str, ...]] = {}
    for text in texts:
        words: list[str] = []
        for word in text.split():
            parts = split_words.get(word)
            if parts is None:
                parts = split_words[word] = _parts(word)
            words += parts
        yield words


def _parts(word: str) -> tuple[str, ...]:
    if len(word) > 1 and word[-1] in PUNCTUATION:
        return word[:-1], word[-1]
    if len(word) > 1 and word[0] in PUNCTUATION:
        return word[0], word[1:]
    return (word,)


def score(*columns: Floats) -> Floats:
    """chrF or chrF++ (0 to 1) of summed counts: F2 of mean precision and recall."""
    shape = np.shape(columns[0])
    precision, recall, orders = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for place in range(0, len(columns), 3):
        own, reference, matching = columns[place : place + 3]
        counted = (own > 0) & (reference > 0)
        precision += np.where(counted, matching / np.maximum(own, 1), 0.0)
        recall += np.where(counted, matching / np.maximum(reference, 1), 0.0)
        orders += counted
    precision, recall = (
        precision / np.maximum(orders, 1),
        recall / np.maximum(orders, 1),
    )
    factor = BETA**2
    whole = factor * precision + recall
    some = precision + recall > 0
    return np.where(
        some, (1 + factor) * precision * recall / np.where(some, whole, 1.0), 0.0
    )
