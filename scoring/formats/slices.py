"""Groupings of sentences that a CoNLL-U gold file tells: document, genre, length."""

from collections import Counter

import numpy as np

from scoring.counts import Integers
from scoring.formats.conllu import ConlluTable

Labels = tuple[str, ...]
BANDS = (10, 20, 30, 40)


def groups(table: ConlluTable, sizes: Integers) -> dict[str, Labels]:
    """A label per sentence and grouping; `sizes` (sentences,) are words in each.

    Documents and genres are left out where the file has none.
    """
    found = {"length": lengths(sizes)}
    document, genre = documents(table), genres(table)
    if document:
        found["document"] = document
    if any(genre):
        found["genre"] = genre
    return found


def documents(table: ConlluTable) -> Labels:
    """The document of each sentence, empty where no comment says `newdoc`.

    A document without an id, or with an id met before, is called by its number.
    """
    begins = _newdocs(table)
    if not begins:
        return ()
    begins = begins if 0 in begins else {0: "", **begins}
    met = Counter(begins.values())
    names = [
        name if name and met[name] == 1 else f"document {i}"
        for i, name in enumerate(begins.values(), 1)
    ]
    return _carried(dict(zip(begins, names, strict=True)), table.sentences)


def genres(table: ConlluTable) -> Labels:
    """The genre of each sentence: `genre` or `meta::genre`, up to the next document."""
    own = table.labels("genre")
    if table.keyed("meta::genre"):
        others = table.labels("meta::genre")
        own = tuple(a or b for a, b in zip(own, others, strict=True))
    if not any(own):
        return own
    begins = _newdocs(table)
    starts = {i: name for i, name in enumerate(own) if name or i in begins}
    return _carried(starts, table.sentences)


def lengths(sizes: Integers) -> Labels:
    """Bands of ten words: 1-10, 11-20, 21-30, 31-40, 41+."""
    names = [*(f"{top - 9}-{top}" for top in BANDS), f"{BANDS[-1] + 1}+"]
    return tuple(np.array(names, dtype=object)[_band(sizes)].tolist())


def _band(sizes: Integers) -> Integers:
    return np.clip((sizes - 1) // 10, 0, len(BANDS))


def _newdocs(table: ConlluTable) -> dict[int, str]:
    """The sentences that begin a document, with its id or ""."""
    found = {}
    for sentence, text in table.keyed("newdoc"):
        name, _, value = text.partition("=")
        if name.split() in (["newdoc"], ["newdoc", "id"]):
            found[sentence] = value.strip()
    return found


def _carried(starts: dict[int, str], size: int) -> Labels:
    labels, label = [], ""
    for i in range(size):
        label = starts.get(i, label)
        labels.append(label)
    return tuple(labels)
