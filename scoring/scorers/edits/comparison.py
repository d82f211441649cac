"""Edits that are right, too many and lacking, as ERRANT 3 compares them.

Of several annotators of the gold the one counts that gives the best F0.5 together with
all sentences before this one; so ERRANT decides, and so do the counts here. ERRANT lets
a system have several annotators, too; here a submission says one thing.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from scoring.counts import Counts
from scoring.options import Options
from scoring.scorers.edits.m2 import NOOP, Annotated, Corrections, Edit
from scoring.scorers.edits.maxmatch import NO, Lattice, found_edits, gold_edits
from scoring.scorers.treebanks.conllu import lengths

CORRECTION, CLASSIFICATION, SPAN, TOKEN = (
    "correction",
    "classification",
    "span",
    "token",
)
LEVELS = (CORRECTION, CLASSIFICATION, SPAN, TOKEN)
# Edits of this type say that something is wrong, not what.
UNKNOWN = "UNK"
NOTHING: Edit = (-1, -1, NOOP, "-NONE-")
# Precision counts twice as much as recall.
BETA = 0.5
DECIMALS = 4
Key = tuple[object, ...]
Kinds = dict[Key, list[str]]
RIGHT, TOO_MANY, LACKING = "tp", "fp", "fn"


@dataclass(frozen=True)
class Compared:
    """The edits of a system and of the annotator that counts, with their types."""

    system: Kinds
    gold: Kinds

    @cached_property
    def verdicts(self) -> list[tuple[str, Key, str]]:
        """Verdict on every edit, what it does, and its type."""
        verdicts = []
        for key, kinds in self.system.items():
            if kinds[0] != NOOP:
                right = key in self.gold
                verdict = RIGHT if right else TOO_MANY
                own = self.gold[key] if right else kinds
                verdicts += [(verdict, key, kind) for kind in own]
        for key, kinds in self.gold.items():
            if kinds[0] != NOOP and key not in self.system:
                verdicts += [(LACKING, key, kind) for kind in kinds]
        return verdicts

    @cached_property
    def totals(self) -> tuple[int, int, int]:
        number = Counter(verdict for verdict, *_ in self.verdicts)
        return number[RIGHT], number[TOO_MANY], number[LACKING]


def compare_edits(
    gold: Corrections, system: Corrections, options: Options
) -> list[Compared]:
    """Sentence by sentence, in the order of the file."""
    total = (0, 0, 0)
    comparisons: list[Compared] = []
    if system.texts:
        for ours, text in zip(gold.sentences, system.texts, strict=True):
            own = _found_in(ours, text, options)
            best = own[0] if len(own) == 1 else max(own, key=partial(_worth, total))
            total = _sum(total, best.totals)
            comparisons.append(best)
        return comparisons
    for ours, theirs in zip(gold.sentences, system.sentences, strict=True):
        (said,) = _by_annotator(theirs.edits, options)
        best = _best(said, _by_annotator(ours.edits, options), total)
        total = _sum(total, best.totals)
        comparisons.append(best)
    return comparisons


# Of edits that are found in a text nobody says the type.
UNTYPED = "?"


def _found_in(
    ours: Annotated, text: tuple[str, ...], options: Options
) -> list[Compared]:
    """The edits of a corrected text, once for each annotator, whose they are to be."""
    lattice = Lattice(ours.tokens, text)
    ways = []
    for edits in (ours.edits or {0: [NOTHING]}).values():
        kept = [edit for edit in edits if edit[2] not in (NOOP, *options["leave_out"])]
        kept.sort(key=lambda edit: edit[:2])
        keys: list[Key] = [
            (start, end, number, whole)
            for number, (start, end, _kind, whole) in enumerate(kept)
        ]
        gold = {key: [edit[2]] for key, edit in zip(keys, kept, strict=True)}
        system: Kinds = {}
        for place, change in enumerate(found_edits(lattice, gold_edits(kept))):
            start, end, words, number = change
            if number == NO:
                system[start, end, NO - place, " ".join(words)] = [UNTYPED]
            else:
                system[keys[number]] = gold[keys[number]]
        ways.append(Compared(system, gold))
    return ways


def _worth(before: tuple[int, int, int], pair: Compared) -> tuple[float, int, float]:
    """The figure by which the scorer of CoNLL-2014 compares annotators."""
    right, too_many, lacking = _sum(before, pair.totals)
    made, wanted, square = right + too_many, right + lacking, BETA * BETA
    whole = square * wanted + made
    value = (1 + square) * right / whole if whole else 1.0
    return value, right, -whole


def _sum(
    first: tuple[int, int, int], second: tuple[int, int, int]
) -> tuple[int, int, int]:
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]


def _best(system: Kinds, golds: list[Kinds], before: tuple[int, int, int]) -> Compared:
    pairs = [Compared(system, gold) for gold in golds]
    if len(pairs) == 1:
        return pairs[0]

    def worth(pair: Compared) -> tuple[float, int, int, int]:
        right, too_many, lacking = pair.totals
        return _f(*_sum(before, pair.totals)), right, -too_many, -lacking

    # The first of equal ones.
    return max(pairs, key=worth)


def _f(right: int, too_many: int, lacking: int) -> float:
    """F0.5 to four places, as annotators are compared by."""
    precision = right / (right + too_many) if too_many else 1.0
    recall = right / (right + lacking) if lacking else 1.0
    square = BETA * BETA
    whole = square * precision + recall
    return round((1 + square) * precision * recall / whole, DECIMALS) if whole else 0.0


def _by_annotator(edits: dict[int, list[Edit]], options: Options) -> list[Kinds]:
    return [_kinds_of_edits(own, options) for own in (edits or {0: [NOTHING]}).values()]


def _kinds_of_edits(edits: list[Edit], options: Options) -> Kinds:
    """Types of the edits of an annotator, by what has to agree."""
    kinds: Kinds = defaultdict(list)
    for start, end, kind, text in edits:
        if _left_out(start, end, kind, text, options):
            continue
        for key in _keys((start, end, kind, text), options["level"]):
            kinds[key].append(kind)
    return dict(kinds)


def _left_out(start: int, end: int, kind: str, text: str, options: Options) -> bool:
    if kind == UNKNOWN and options["level"] in (CORRECTION, CLASSIFICATION):
        return True
    return kind in options["leave_out"]


def _keys(edit: Edit, level: str) -> list[Key]:
    start, end, kind, text = edit
    if level == TOKEN:
        if start == -1:
            return [(-1, -1)]
        # What is inserted belongs to the token behind it.
        return [(i, i + 1) for i in range(start, max(end, start + 1))]
    if level == SPAN:
        return [(start, end)]
    return [(start, end, kind, text) if level == CLASSIFICATION else (start, end, text)]


def of_tier(kind: str, tier: str) -> str:
    """The type as the task shows it: R:NOUN, NOUN alone or R alone."""
    if kind == UNKNOWN or tier == "full":
        return kind
    return kind[0] if tier == "operation" else kind[2:] or kind


def count(gold: Corrections, system: Corrections, options: Options) -> Counts:
    """One row per sentence: edits right, too many and lacking, over all and by type."""
    rows = []
    for comparison in compare_edits(gold, system, options):
        row: Counter[str] = Counter()
        for verdict, _key, kind in comparison.verdicts:
            row[verdict] += 1
            row[f"{verdict}[{of_tier(kind, options['types'])}]"] += 1
        rows.append(row)
    tags = sorted({name[2:] for row in rows for name in row if name[2:]})
    verdicts = RIGHT, TOO_MANY, LACKING
    columns = [*verdicts, *(verdict + tag for tag in tags for verdict in verdicts)]
    place = {name: i for i, name in enumerate(columns)}
    table = np.zeros((len(rows), len(columns)))
    for i, row in enumerate(rows):
        for name, number in row.items():
            table[i, place[name]] = number
    sizes = np.array([len(sentence.tokens) for sentence in gold.sentences])
    groups = {"length": lengths(np.maximum(sizes, 1))}
    return Counts(gold.names, tuple(columns), table, groups)
