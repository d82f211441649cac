"""Attachment scores in plain Python, line by line and formula by formula.

Like ours it begins with the bytes of two files, checks that lines have ten columns, IDs
count 1, 2, 3, ..., heads lie in their sentences and both files have the same words, and
keeps for each sentence its name, its groups and a row of counts, of which it computes
all nine measures. It knows no options: coarse labels, punctuation kept, one weight for
all relations but punctuation. It reports the first bad line only, and neither checks
for NUL nor reads lines that end in CRLF. One loop that counted for all formulas at once
would save about a sixth of its time.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from benchmarks._groups_peer import Metadata, groups_of, names_of
from scoring.scorers.treebanks.relations import CONTENT as CONTENT_LISTS
from scoring.scorers.treebanks.relations import FUNCTION as FUNCTION_LISTS

CONTENT = frozenset(CONTENT_LISTS["ud1"].split())
FUNCTION = frozenset(FUNCTION_LISTS["ud1"].split())

Scores = dict[str, float]


class Word(NamedTuple):
    place: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: str
    relation: str
    deps: str
    misc: str


class Sentence(NamedTuple):
    words: list[Word]
    metadata: Metadata


class Row(NamedTuple):
    """The columns of a sentence that are counted."""

    name: str
    groups: tuple[str, ...]
    counts: dict[str, float]


Pairs = list[tuple[Word, Word]]


def scores(gold: bytes, system: bytes) -> Scores:
    """Every measure that `scoring.scorers.attachment` has."""
    table = rows(gold, system)
    totals = {name: sum(row.counts[name] for row in table) for name in PARTS}
    shares = {
        "uas": totals["heads"] / totals["words"],
        "las": totals["labels"] / totals["words"],
        "wlas": totals["weight right"] / totals["weight"],
    }
    for name in ("content", "function"):
        right = totals[f"{name} right"]
        predicted, wanted = totals[f"{name} system"], totals[f"{name} gold"]
        shares[f"{name}_precision"] = right / predicted
        shares[f"{name}_recall"] = right / wanted
        shares[f"{name}_f1"] = 2 * right / (predicted + wanted)
    return shares


def rows(gold: bytes, system: bytes) -> list[Row]:
    golds, tests = (list(read(data.decode("utf-8-sig"))) for data in (gold, system))
    metadata = [sentence.metadata for sentence in golds]
    groups = groups_of(metadata, [len(sentence.words) for sentence in golds])
    labels = zip(*groups.values(), strict=True)
    pairs = (paired(a.words, b.words) for a, b in zip(golds, tests, strict=True))
    return [
        Row(name, label, {part: count(pair) for part, count in PARTS.items()})
        for name, label, pair in zip(names_of(metadata), labels, pairs, strict=True)
    ]


def read(text: str) -> Iterator[Sentence]:
    words: list[Word] = []
    metadata: Metadata = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            metadata[key.strip()] = value.strip()
        elif line:
            word = read_word(line, number, len(words) + 1)
            words += [word] if word else []
        elif words:
            check_heads(words, number)
            yield Sentence(words, metadata)
            words, metadata = [], {}


def read_word(line: str, number: int, place: int) -> Word | None:
    fields = line.split("\t")
    if len(fields) != 10:
        raise ValueError(f"line {number}: {len(fields)} columns")
    if "-" in fields[0] or "." in fields[0]:
        return None
    if int(fields[0]) != place:
        raise ValueError(f"line {number}: ID {fields[0]}, expected {place}")
    fields[7] = fields[7].split(":")[0]
    return Word(*fields)


def check_heads(words: list[Word], number: int) -> None:
    if not all(0 <= int(word.head) <= len(words) for word in words):
        raise ValueError(f"line {number}: a head outside the sentence")


def paired(golds: list[Word], tests: list[Word]) -> Pairs:
    pairs = list(zip(golds, tests, strict=True))
    if any(gold.form != test.form for gold, test in pairs):
        raise ValueError("other words")
    return pairs


def right(gold: Word, test: Word) -> bool:
    return gold.head == test.head and gold.relation == test.relation


def weight(word: Word) -> float:
    return 0.0 if word.relation == "punct" else 0.5


PARTS: dict[str, Callable[[Pairs], float]] = {
    "words": len,
    "heads": lambda pairs: sum(g.head == t.head for g, t in pairs),
    "labels": lambda pairs: sum(right(g, t) for g, t in pairs),
    "weight": lambda pairs: sum(weight(g) for g, _ in pairs),
    "weight right": lambda pairs: sum(weight(g) for g, t in pairs if right(g, t)),
    "content gold": lambda pairs: sum(g.relation in CONTENT for g, _ in pairs),
    "content system": lambda pairs: sum(t.relation in CONTENT for _, t in pairs),
    "content right": lambda pairs: sum(
        right(g, t) for g, t in pairs if g.relation in CONTENT
    ),
    "function gold": lambda pairs: sum(g.relation in FUNCTION for g, _ in pairs),
    "function system": lambda pairs: sum(t.relation in FUNCTION for _, t in pairs),
    "function right": lambda pairs: sum(
        right(g, t) for g, t in pairs if g.relation in FUNCTION
    ),
}
