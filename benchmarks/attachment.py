"""`attachment` on 25,000 words, against the seed's formulas in plain Python.

The peer reads and checks both files line by line, says each formula by itself and
keeps, as ours does, a row of counts per sentence.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benchmarks._treebanks import WORDS, pair, row
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.relations import relations_of
from scoring.scorers.attachment import SCORER
from scoring.source import Source

TARGET = 15
OPTIONS = parse(SCORER.options, {"labels": ["coarse"]})
CONTENT = frozenset(relations_of("content", OPTIONS))
FUNCTION = frozenset(relations_of("function", OPTIONS))

Scores = dict[str, float]


def rows() -> list[dict[str, Any]]:
    gold, system = pair()
    sides = Source.of_bytes("gold.conllu", gold), Source.of_bytes("x.conllu", system)
    texts = gold.decode(), system.decode()
    expected = plain(*texts)
    for name, value in ours(*sides).items():
        if abs(expected[name] - value) > 1e-9:
            raise ValueError(f"{name}: {value} and {expected[name]}")
    work = f"attachment, all measures, {WORDS:,} words"
    peer = "plain Python", lambda: plain(*texts)
    return [row(work, lambda: ours(*sides), peer, TARGET), growth(*sides)]


def growth(gold: Source, system: Source) -> dict[str, Any]:
    """How much longer ten times as many words take."""
    few, many = (
        [Source.of_bytes(side.name, side.single() * n) for side in (gold, system)]
        for n in (4, 40)
    )
    peer = f"{40 * WORDS:,} words", lambda: ours(*many)
    work = f"attachment, {4 * WORDS:,} words"
    return {**row(work, lambda: ours(*few), peer, 0), "target": "at most 11 x"}


def ours(gold: Source, system: Source) -> Scores:
    counts = count(SCORER, read_pair(SCORER, gold, system, OPTIONS), OPTIONS)
    return {
        measure.name: float(measure.of(counts.totals, counts.columns))
        for measure in SCORER.measures(())
    }


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


Sentence = list[Word]
Pairs = list[tuple[Word, Word]]


def plain(gold: str, system: str) -> Scores:
    sentences = list(zip(read(gold), read(system), strict=True))
    table = [
        {name: part(pairs) for name, part in PARTS.items()}
        for pairs in (paired(*both) for both in sentences)
    ]
    totals = {name: sum(counts[name] for counts in table) for name in PARTS}
    scores = {
        "uas": totals["heads"] / totals["words"],
        "las": totals["labels"] / totals["words"],
        "wlas": totals["weight right"] / totals["weight"],
    }
    for name in ("content", "function"):
        right = totals[f"{name} right"]
        found, wanted = totals[f"{name} system"], totals[f"{name} gold"]
        scores[f"{name}_precision"] = right / found
        scores[f"{name}_recall"] = right / wanted
        scores[f"{name}_f1"] = 2 * right / (found + wanted)
    return scores


def read(text: str) -> Iterator[Sentence]:
    sentence: Sentence = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#"):
            continue
        if line:
            word = read_word(line, number, len(sentence) + 1)
            sentence += [word] if word else []
        elif sentence:
            yield checked(sentence, number)
            sentence = []


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


def checked(sentence: Sentence, number: int) -> Sentence:
    if not all(0 <= int(word.head) <= len(sentence) for word in sentence):
        raise ValueError(f"line {number}: a head outside the sentence")
    return sentence


def paired(golds: Sentence, tests: Sentence) -> Pairs:
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
