"""How varied the words of a relation are: word dependency entropy of training text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from math import fsum, log

ABSENT = 0.5


def entropy(counts: Iterable[int]) -> float:
    """Shannon entropy of a distribution given by counts, in nats."""
    numbers = sorted(counts)
    total = sum(numbers)
    return fsum(-count / total * log(count / total) for count in numbers)


def word_dependency_entropy(conllu: str) -> dict[str, float]:
    """H(word | relation) / log(vocabulary size) for each relation cut at the colon.

    Words are case-sensitive (SCORING.md, attachment, WDE); a vocabulary of one word
    gives 0.
    """
    words: dict[str, Counter[str]] = defaultdict(Counter)
    vocabulary = set()
    for line in conllu.split("\n"):
        cells = line.split("\t")
        if len(cells) == 10:
            words[cells[7].split(":")[0]][cells[1]] += 1
            vocabulary.add(cells[1])
    bound = log(len(vocabulary)) if len(vocabulary) > 1 else 1.0
    return {name: entropy(counts.values()) / bound for name, counts in words.items()}


def averaged(treebanks: Iterable[dict[str, float]]) -> dict[str, float]:
    """The mean over treebanks; a relation absent from one counts 0.5 there."""
    tables = list(treebanks)
    names = sorted({name for table in tables for name in table})
    return {
        name: fsum(table.get(name, ABSENT) for table in tables) / len(tables)
        for name in names
    }


def weights_csv(texts: Iterable[str]) -> str:
    """A `relation,weight` table, six decimals, from one training text per treebank."""
    table = averaged(word_dependency_entropy(text) for text in texts)
    rows = (f"{name},{weight:.6f}\n" for name, weight in table.items())
    return "relation,weight\n" + "".join(rows)
