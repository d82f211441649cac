"""Counts of entities and mentions by document, by the definitions of the measures.

Everything is counted from two tables: how many mentions each gold entity shares with
each entity of the system, seen from either side.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np

from scoring.counts import Counts, Floats, Integers, fixed_point
from scoring.options import Options
from scoring.scorers.coreference.assignment import Weighted, heaviest
from scoring.scorers.coreference.entities import Discourse
from scoring.scorers.coreference.mention_pairs import (
    NOBODY,
    Matching,
    Side,
    match_mentions,
)

# Sums of quotients; these decimals do not depend on their order.
DECIMALS = 12
SIDES = ("gold", "system")


def count(gold: Discourse, system: Discourse, options: Options) -> Counts:
    """One row per document of the gold."""
    totals = Totals(match_mentions(gold, system, options), len(gold.documents))
    groups = {"genre": gold.genres} if gold.genres else {}
    return Counts.of_rows(gold.documents, totals.columns(), groups)


@dataclass(frozen=True)
class Shared:
    """Pairs (p,) of an entity with one of the other side, and how many mentions of the
    first the second has."""

    ours: Integers
    theirs: Integers
    number: Integers

    @classmethod
    def of(cls, ours: Integers, theirs: Integers) -> "Shared":
        """Our entity and theirs of each mention; mentions of NOBODY are left out."""
        held = theirs != NOBODY
        size = int(theirs.max(initial=0)) + 1
        code, number = np.unique(ours[held] * size + theirs[held], return_counts=True)
        return cls(code // size, code % size, number)


def pairs(number: Integers | Floats) -> Floats:
    """How many pairs there are among so many."""
    return np.asarray(number * (number - 1) / 2.0)


class Totals:
    """The sums of each measure, by documents (d,)."""

    def __init__(self, matching: Matching, documents: int) -> None:
        self.matching, self.documents = matching, documents

    def columns(self) -> dict[str, Floats]:
        gold, system = self.matching.gold, self.matching.system
        columns: dict[str, Floats] = {}
        for name, ours, theirs in zip(
            SIDES, (gold, system), (system, gold), strict=True
        ):
            columns |= self._of_side(name, ours, theirs)
        columns |= self._links()
        columns |= self._entities()
        columns["words_shared"] = self._words()
        return columns

    def _by(self, document: Integers, values: Floats | Integers) -> Floats:
        sums = np.bincount(document, values, minlength=self.documents)
        return sums.astype(np.float64)

    def _of_side(self, name: str, ours: Side, theirs: Side) -> dict[str, Floats]:
        """The terms of recall where our side is the gold, and of precision else."""
        held = self.matching.partners(ours, theirs)
        shared = Shared.of(ours.entity, held)
        size = len(ours.sizes)
        links = np.bincount(shared.ours, pairs(shared.number), minlength=size)
        squares = np.bincount(shared.ours, shared.number**2, minlength=size)
        hits = np.bincount(shared.ours, shared.number, minlength=size)
        blocks = np.bincount(shared.ours, minlength=size)
        single = ours.sizes == 1
        alone = np.zeros(size)
        lone = shared.ours[theirs.sizes[shared.theirs] == 1]
        alone[lone] = 1
        whole = np.where(single, 1, pairs(ours.sizes))
        lea = ours.sizes * np.where(single, alone, links) / whole
        lengths = [len(mention.nodes) for mention in ours.mentions]
        document = ours.document
        of_mentions = np.ones(len(held))
        return {
            f"mentions_{name}": self._by(ours.document_of, of_mentions),
            f"entities_{name}": self._by(document, np.ones(size)),
            f"words_{name}": self._by(ours.document_of, np.array(lengths, np.float64)),
            f"steps_{name}": self._by(document, ours.sizes - 1),
            f"links_{name}": self._by(document, pairs(ours.sizes)),
            f"muc_{name}": self._by(document, hits - blocks),
            **self._fractions(f"bcub_{name}", document, squares / ours.sizes),
            **self._fractions(f"lea_{name}", document, lea),
        }

    def _fractions(
        self, name: str, document: Integers, values: Floats
    ) -> dict[str, Floats]:
        return fixed_point(name, np.round(self._by(document, values), DECIMALS))

    def _links(self) -> dict[str, Floats]:
        """Pairs of gold mentions that both sides link, and that both keep apart."""
        gold, system = self.matching.gold, self.matching.system
        held = self.matching.partners(gold, system)
        ours, theirs = gold.entity[held != NOBODY], held[held != NOBODY]
        shared = Shared.of(ours, theirs)
        document = gold.document
        linked = self._by(document[shared.ours], pairs(shared.number))
        every = pairs(self._by(document[ours], np.ones(len(ours))))
        of_gold = np.bincount(ours, minlength=len(gold.sizes))
        of_system = np.bincount(theirs, minlength=len(system.sizes))
        apart = every + linked
        apart -= self._by(document, pairs(of_gold))
        apart -= self._by(system.document, pairs(of_system))
        columns = {"links_shared": linked, "apart_shared": apart}
        for name, side in zip(SIDES, (gold, system), strict=True):
            mentions = self._by(side.document_of, np.ones(len(side.mentions)))
            of_side = self._by(side.document, pairs(side.sizes))
            columns[f"apart_{name}"] = pairs(mentions) - of_side
        return columns

    @cached_property
    def overlaps(self) -> Shared:
        """Entities of both sides, and how many mentions of the gold's the other has: a
        mention of several entities is in each of them."""
        gold, system = self.matching.gold, self.matching.system
        wanted = self.matching.other[gold.identity]
        order = np.argsort(system.identity, kind="stable")
        identity = system.identity[order]
        low = np.searchsorted(identity, wanted)
        number = np.searchsorted(identity, wanted, side="right") - low
        rows = np.repeat(np.arange(len(wanted)), number)
        step = np.arange(len(rows)) - np.repeat(np.cumsum(number) - number, number)
        holder = system.entity[order[low[rows] + step]]
        return Shared.of(gold.entity[rows], holder)

    def paired_entities(self) -> list[Weighted]:
        """Entities of gold and system, one to one, as CEAF-e pairs them."""
        return heaviest(self._weights(by_size=True))

    def _weights(self, by_size: bool) -> list[Weighted]:
        shared, gold, system = self.overlaps, self.matching.gold, self.matching.system
        ours, theirs = gold.sizes[shared.ours], system.sizes[shared.theirs]
        # Two mentions of one entity may stand for one of the other's.
        weights = np.minimum(shared.number, np.minimum(ours, theirs)).astype(np.float64)
        if by_size:
            weights = 2 * weights / (ours + theirs)
        columns = shared.ours.tolist(), shared.theirs.tolist(), weights.tolist()
        return list(zip(*columns, strict=True))

    def _entities(self) -> dict[str, Floats]:
        document = self.matching.gold.document
        by_entity, by_mention = self.paired_entities(), heaviest(self._weights(False))
        return {
            **self._fractions("ceafe", *_of_pairs(by_entity, document)),
            "ceafm": self._by(*_of_pairs(by_mention, document)),
        }

    def _words(self) -> Floats:
        """Words that paired mentions share, where mentions are paired for most words.

        Equal mentions may be paired first: no other pair of them shares more words.
        """
        gold, system = self.matching.gold, self.matching.system
        document = gold.document_of
        total = np.zeros(self.documents)
        left: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for row, mention in enumerate(system.mentions):
            left[mention.nodes].append(row)
        alone = []
        for row, mention in enumerate(gold.mentions):
            if equal := left.get(mention.nodes):
                equal.pop()
                total[document[row]] += len(mention.nodes)
            else:
                alone.append(row)
        rest = [row for rows in left.values() for row in rows]
        matched = heaviest(_overlapping((gold, system), alone, rest))
        return total + self._by(*_of_pairs(matched, document))


def _of_pairs(pairs: Sequence[Weighted], document: Integers) -> tuple[Integers, Floats]:
    """Document and weight of each pair, whose row `document` is of."""
    rows = np.array([row for row, _, _ in pairs], dtype=np.int64)
    return document[rows], np.array([weight for *_, weight in pairs], dtype=np.float64)


def _overlapping(
    sides: tuple[Side, Side], ours: list[int], theirs: list[int]
) -> list[Weighted]:
    """Mentions of both sides that share nodes, and how many."""
    holders: dict[int, list[int]] = defaultdict(list)
    for row in theirs:
        for node in sides[1].mentions[row].nodes:
            holders[node].append(row)
    rows: list[Weighted] = []
    for row in ours:
        shared: dict[int, int] = defaultdict(int)
        for node in sides[0].mentions[row].nodes:
            for holder in holders.get(node, ()):
                shared[holder] += 1
        rows += zip(repeat(row), shared, map(float, shared.values()), strict=False)
    return rows
