"""Credit of each instance, senses against senses as arrays, and its details."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np

from scoring.counts import Flags, Floats, Integers
from scoring.formats.codes import Coded, of_texts
from scoring.inspection import Cell, Inspection, ItemTable, Picture
from scoring.options import Options
from scoring.scorers.senseval.answers import Guesses, SenseGold
from scoring.scorers.senseval.reader import SenseMap

HUGE = 1e100


@dataclass(frozen=True)
class SenseComparison:
    """Key and guesses as they are compared, `n` instances.

    `names` are the senses by code. The `k` key senses have `key` codes and rows
    `key_of`, ascending; the `g` guesses have `guess` codes, rows `guess_of` and
    `weight`. Equal senses earn 1; `credits` holds what others earn in mixed grain, by
    guess * len(names) + key.
    """

    size: int
    names: list[str]
    key: Integers
    key_of: Integers
    guess: Integers
    guess_of: Integers
    weight: Floats
    credits: Mapping[int, float]

    @cached_property
    def pairs(self) -> tuple[Integers, Integers]:
        """Places of guess and key sense of every pair, shape (pairs,) each."""
        senses = np.bincount(self.key_of, minlength=self.size)
        begins = np.cumsum(senses) - senses
        each = senses[self.guess_of]
        guess = np.repeat(np.arange(len(self.guess)), each)
        before = np.repeat(np.cumsum(each) - each, each)
        return guess, np.arange(len(guess)) - before + begins[self.guess_of[guess]]

    @cached_property
    def earns(self) -> Floats:
        """Credit of every pair, shape (pairs,)."""
        guess, key = self.guess[self.pairs[0]], self.key[self.pairs[1]]
        earned = np.equal(guess, key).astype(np.float64)
        if self.credits:
            unlike = np.flatnonzero(earned == 0)
            pairs = guess[unlike] * len(self.names) + key[unlike]
            shares = map(self.credits.get, pairs.tolist(), repeat(0.0))
            earned[unlike] = np.fromiter(shares, np.float64, len(unlike))
        return earned

    def by_instance(self, of: Integers, values: Floats) -> Floats:
        return np.bincount(of, values, self.size).astype(np.float64)

    @cached_property
    def hits(self) -> Floats:
        """min(1, sum of credits over the key) of every guess, shape (g,)."""
        sums = np.bincount(self.pairs[0], self.earns, minlength=len(self.guess))
        return np.minimum(1, sums)

    @cached_property
    def reached(self) -> Floats:
        """min(1, sum of weight x credit) of every key sense, shape (k,)."""
        weighed = self.earns * self.weight[self.pairs[0]]
        return np.minimum(1, np.bincount(self.pairs[1], weighed, len(self.key)))

    @cached_property
    def returned(self) -> Floats:
        """Sum of weights of every instance, shape (n,)."""
        return self.by_instance(self.guess_of, self.weight)

    @property
    def hit(self) -> Floats:
        """Sum of weight x hits of every instance, shape (n,)."""
        return self.by_instance(self.guess_of, self.weight * self.hits)


def compare(gold: SenseGold, guesses: Guesses, options: Options) -> SenseComparison:
    """Collapse senses as the granularity says and settle the weights. Under the
    disjunctive policy weights still await `scale`."""
    grain, senses = options["granularity"], gold.senses
    vocabulary: dict[str, int] = {}
    collapse = senses.coarse if senses is not None and grain == "coarse" else str
    key = _codes(gold.key.tags, vocabulary, collapse)
    guess = _codes(guesses.tags, vocabulary, collapse)
    key_of, guess_of = gold.key.instance_of, guesses.instance_of
    if grain == "coarse":
        key_of, key, _ = _merge(key_of, key, len(vocabulary))
    size = len(gold.key.names)
    weight = _weights_of_guesses(guesses, size)
    if options["policy"] == "conjunctive":
        guess_of, guess, place = _merge(guess_of, guess, len(vocabulary))
        weight = np.minimum(1, np.bincount(place, weight, minlength=len(guess)))
    return SenseComparison(
        size=size,
        names=list(vocabulary),
        key=key,
        key_of=key_of,
        guess=guess,
        guess_of=guess_of,
        weight=weight,
        credits=_credits(vocabulary, senses) if grain == "mixed" else {},
    )


def _credits(
    vocabulary: Mapping[str, int], senses: SenseMap | None
) -> dict[int, float]:
    """Credit of each sense for its descendants, and 1 for its ancestors."""
    credits: dict[int, float] = {}
    size = len(vocabulary)
    for sense, code in vocabulary.items():
        chain = senses.chains.get(sense, {}) if senses is not None else {}
        for ancestor, share in chain.items():
            if ancestor in vocabulary:
                above = vocabulary[ancestor]
                credits[above * size + code] = share
                credits[code * size + above] = 1.0
    return credits


def _codes(
    tags: tuple[str, ...] | list[str],
    vocabulary: dict[str, int],
    collapse: Callable[[str], str],
) -> Integers:
    """Code of each collapsed tag, new ones added to `vocabulary`."""
    codes = {
        tag: vocabulary.setdefault(collapse(tag), len(vocabulary))
        for tag in dict.fromkeys(tags)
    }
    return np.fromiter(map(codes.__getitem__, tags), dtype=np.int64, count=len(tags))


def _merge(
    of: Integers, codes: Integers, size: int
) -> tuple[Integers, Integers, Integers]:
    """Distinct (instance, code) pairs in order, and the pair that each item is in."""
    pairs, place = np.unique(of * size + codes, return_inverse=True)
    return pairs // max(size, 1), pairs % max(size, 1), place


def _weights_of_guesses(guesses: Guesses, size: int) -> Floats:
    """Weights (g,), all 1 in an answer where one is missing."""
    missing = np.zeros(size, dtype=bool)
    missing[guesses.instance_of[np.isnan(guesses.weights)]] = True
    weight = np.where(missing[guesses.instance_of], 1.0, guesses.weights)
    if not (weight > HUGE).any():
        return weight
    # Sums must stay finite; beside such a weight the others are nothing anyway.
    largest = np.zeros(size)
    np.maximum.at(largest, guesses.instance_of, weight)
    return weight / np.where(largest > HUGE, largest, 1)[guesses.instance_of]


def scale(compared: SenseComparison, options: Options) -> Floats:
    """Divisor of the weights of each instance, shape (n,).

    A disjunctive answer is a distribution: above 1 it is normalised, below 1 the rest
    is "no guess". Dividing sums, not weights, keeps a full score exactly 1.
    """
    if options["policy"] == "conjunctive":
        return np.ones(compared.size)
    return np.maximum(1, compared.returned)


def scores(compared: SenseComparison, options: Options) -> dict[str, Floats]:
    """Score, attempted and total of every instance, shape (n,) each.

    Disjunctive: at most 1, out of 1. Conjunctive: out of the number of key senses; a
    sense counts once, whether it is the key or the answer that says it in two ways.
    """
    divisor = scale(compared, options)
    score, attempted = compared.hit / divisor, compared.returned / divisor
    total = np.ones(compared.size)
    if options["policy"] == "conjunctive":
        score = np.minimum(
            score, compared.by_instance(compared.key_of, compared.reached)
        )
        total = np.bincount(compared.key_of, minlength=compared.size).astype(float)
    return {"score": score, "attempted": attempted, "total": total}


COLUMNS = ("side", "sense", "weight", "credit", "earned")
JUDGED = ("side", "credit", "earned")


def inspection(compared: SenseComparison, options: Options) -> Inspection:
    """One item per instance; its labels are the key's senses and the best guess."""
    of_instances = scores(compared, options)
    answered = of_instances["attempted"] > 0
    wrong: dict[str, Flags] = {
        "unanswered": ~answered,
        "wrong": answered & (of_instances["score"] == 0),
        "partial": (of_instances["score"] > 0)
        & (of_instances["score"] < of_instances["total"]),
    }
    instances = Instances(compared, options)
    return Inspection.of_items(
        wrong,
        instances.picture,
        lambda: {"sense": (instances.keys(), instances.guesses())},
    )


@dataclass(frozen=True)
class Instances:
    """Key and guesses as compared, instance by instance."""

    compared: SenseComparison
    options: Options

    def keys(self) -> Coded:
        """The senses of each key, joined (n,)."""
        compared = self.compared
        senses: list[list[str]] = [[] for _ in range(compared.size)]
        pairs = zip(compared.key_of.tolist(), compared.key.tolist(), strict=True)
        for row, code in pairs:
            senses[row].append(compared.names[code])
        return of_texts([" ".join(names) for names in senses])

    def guesses(self) -> Coded:
        """The heaviest guess of each answer, the first among equals (n,)."""
        compared = self.compared
        order = np.lexsort((-compared.weight, compared.guess_of))
        rows, first = np.unique(compared.guess_of[order], return_index=True)
        codes = np.full(compared.size, len(compared.names))
        codes[rows] = compared.guess[order][first]
        return Coded(codes, [*compared.names, ""])

    def picture(self, unit: int) -> Picture:
        """Key senses, then guesses with weight, credit and what they earned."""
        guesses = np.flatnonzero(self.compared.guess_of == unit)
        keys = np.flatnonzero(self.compared.key_of == unit)
        hits = self.compared.hits
        marks: list[tuple[str, ...]] = [() for _ in keys]
        marks += [("wrong",) * (not hits[i]) for i in guesses]
        rows = [*self._keys(keys), *self._guesses(guesses, unit)]
        sheet = ItemTable(COLUMNS, tuple(rows), tuple(marks), JUDGED)
        lines = tuple(str(row[1]) for row in rows)
        return Picture(sheet, lines=(lines[: len(keys)], lines[len(keys) :]))

    def _keys(self, rows: Integers) -> list[tuple[Cell, ...]]:
        names, codes = self.compared.names, self.compared.key[rows].tolist()
        return [("key", names[code], None, None, None) for code in codes]

    def _guesses(self, rows: Integers, unit: int) -> list[tuple[Cell, ...]]:
        divisor = scale(self.compared, self.options)[unit]
        weights: Floats = self.compared.weight[rows] / divisor
        credits = self.compared.hits[rows]
        return [
            ("guess", self.compared.names[code], weight, credit, weight * credit)
            for code, weight, credit in zip(
                self.compared.guess[rows].tolist(),
                weights.tolist(),
                credits.tolist(),
                strict=True,
            )
        ]
