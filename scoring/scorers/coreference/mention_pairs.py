"""Entities of both sides document by document, and which mentions are the same ones.

Mentions are the same where they have the same nodes. Others are paired as the task's
option `match` allows; zeros, mentions whose head is not in the text, are paired by what
they depend on, wherever they stand in their sentence.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.counts import Integers
from scoring.options import Options
from scoring.scorers.coreference.assignment import Weighted, assign
from scoring.scorers.coreference.entities import Discourse, Mention

EXACT, PARTIAL, HEAD = "exact", "partial", "head"
NOBODY = -1
# Of zeros that share a dependency, and not only what they depend on.
WITH_RELATION = 10
Identity = tuple[int, ...]


@dataclass(frozen=True)
class Side:
    """The entities (e,) of one side, those of each document in a row.

    `mentions` (o,) are theirs, entity by entity, and `entity` (o,) says whose each is;
    `identity` (o,) is a number that the same mention has on both sides. `document` and
    `sizes` (e,) are of entities.
    """

    mentions: list[Mention]
    entity: Integers
    identity: Integers
    document: Integers
    sizes: Integers

    @cached_property
    def document_of(self) -> Integers:
        """The document of each mention (o,)."""
        return self.document[self.entity]

    def entity_of(self, identities: int) -> Integers:
        """The entity of each identity, the last one that has it; NOBODY for none."""
        entities = np.full(identities, NOBODY)
        entities[self.identity] = self.entity
        return entities


@dataclass(frozen=True)
class Matching:
    """Both sides, gold first; `other` (identities,) is the identity that each stands
    for on the other side, its own where it is paired with no other."""

    gold: Side
    system: Side
    other: Integers

    def partners(self, ours: Side, theirs: Side) -> Integers:
        """The other side's entity that has each mention (o,), or NOBODY."""
        return theirs.entity_of(len(self.other))[self.other[ours.identity]]


def match_mentions(gold: Discourse, system: Discourse, options: Options) -> Matching:
    """The entities of both sides with their mentions paired."""
    numbers: dict[Identity, int] = {}
    rule, single = options["match"], options["singletons"]
    sides = tuple(
        _side(discourse, numbers, rule == HEAD, single) for discourse in (gold, system)
    )
    other = np.arange(len(numbers))
    dependencies = gold.dependencies, system.dependencies
    parts = zip(
        *(_by_document(side, len(gold.documents)) for side in sides), strict=True
    )
    shared = np.intersect1d(sides[0].identity, sides[1].identity)
    is_shared = np.zeros(len(numbers), dtype=np.bool_)
    is_shared[shared] = True
    for part in parts:
        _pair_zeros(sides, part, dependencies, other)
        if rule != EXACT:
            ours, theirs = (
                own[~is_shared[side.identity[own]]]
                for side, own in zip(sides, part, strict=True)
            )
            _pair_others(sides, (ours, theirs), rule, other)
    return Matching(sides[0], sides[1], other)


def _side(
    discourse: Discourse, known: dict[Identity, int], by_head: bool, single: bool
) -> Side:
    """Entities in order of their first mentions, the same mention once in each.

    An entity of several documents is one in each of them. Without `single` those of one
    mention are left out.
    """
    whole: dict[str, list[Mention]] = defaultdict(list)
    for mention in discourse.mentions:
        whole[mention.entity].append(mention)
    for mentions in whole.values():
        mentions.sort(key=_place)
    of_entity: dict[tuple[int, str], dict[int, Mention]] = {}
    document_of = discourse.document_of.tolist()
    for mentions in sorted(whole.values(), key=lambda own: _place(own[0])):
        for mention in mentions:
            identity = mention.nodes + (-1, mention.head) * by_head
            number = known.setdefault(identity, len(known))
            own = of_entity.setdefault(
                (document_of[mention.sentence], mention.entity), {}
            )
            own.setdefault(number, mention)
    entities = sorted(
        ((key[0], own) for key, own in of_entity.items() if single or len(own) > 1),
        key=lambda pair: pair[0],
    )
    sizes = np.array([len(own) for _, own in entities], dtype=np.int64)
    numbers = [number for _, own in entities for number in own]
    return Side(
        [mention for _, own in entities for mention in own.values()],
        np.repeat(np.arange(len(entities)), sizes),
        np.array(numbers, dtype=np.int64),
        np.array([document for document, _ in entities], dtype=np.int64),
        sizes,
    )


def _place(mention: Mention) -> tuple[int, int, int, str]:
    """The order of an entity's mentions: the longer of two comes first."""
    nodes = mention.nodes
    return nodes[0], -len(nodes), nodes[-1], mention.entity


def _extent(mention: Mention) -> tuple[int, int, int]:
    """The order of mentions to be paired: by start, end, size."""
    return mention.nodes[0], mention.nodes[-1], len(mention.nodes)


def _by_document(side: Side, documents: int) -> Iterator[Integers]:
    """The mentions of each document."""
    bounds = np.searchsorted(side.document_of, np.arange(documents + 1))
    for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        yield np.arange(start, end)


def _rows_in_order(side: Side, rows: Sequence[int]) -> list[int]:
    return sorted(rows, key=lambda row: _extent(side.mentions[row]))


def _pair(
    sides: Sequence[Side],
    rows: tuple[list[int], list[int]],
    weights: Sequence[Weighted],
    other: Integers,
) -> None:
    """Set who stands for whom. Gold and system share identities: the later counts."""
    for i, j, _weight in assign((len(rows[0]), len(rows[1])), weights):
        ours = int(sides[0].identity[rows[0][i]])
        theirs = int(sides[1].identity[rows[1][j]])
        other[theirs] = ours
        other[ours] = theirs


def _pair_zeros(
    sides: Sequence[Side],
    part: tuple[Integers, ...],
    dependencies: tuple[Mapping[int, frozenset[str]], ...],
    other: Integers,
) -> None:
    """Pair the zeros of a document by what they depend on."""
    zeros = []
    for side, own in zip(sides, part, strict=True):
        # Of an identity that several entities have the first one says what it is.
        rows = {int(side.identity[row]): row for row in reversed(own.tolist())}
        own_zeros = [row for row in rows.values() if side.mentions[row].zero]
        zeros.append(_rows_in_order(side, sorted(own_zeros)))
    if not zeros[0] or not zeros[1]:
        return
    in_sentence = defaultdict(list)
    for j, row in enumerate(zeros[1]):
        in_sentence[sides[1].mentions[row].sentence].append(j)
    weights = []
    for i, row in enumerate(zeros[0]):
        ours = sides[0].mentions[row]
        for j in in_sentence.get(ours.sentence, ()):
            theirs = sides[1].mentions[zeros[1][j]]
            likeness = _likeness(
                dependencies[0][ours.head], dependencies[1][theirs.head]
            )
            if likeness > 0:
                weights.append((i, j, likeness))
    _pair(sides, (zeros[0], zeros[1]), weights, other)


def _likeness(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """How alike the dependencies of two zeros are, those with their relations and what
    they depend on alone."""
    alone = [{word.partition(":")[0] for word in side} for side in (ours, theirs)]
    return WITH_RELATION * _overlap(ours, theirs) + _overlap(*alone)


def _overlap(
    ours: frozenset[str] | set[str], theirs: frozenset[str] | set[str]
) -> float:
    """F1 of two sets."""
    common = len(ours & theirs)
    if not common:
        return 0.0
    precision, recall = common / len(ours), common / len(theirs)
    return 2 * precision * recall / (precision + recall)


def _pair_others(
    sides: Sequence[Side],
    part: tuple[Integers, Integers],
    rule: str,
    other: Integers,
) -> None:
    """Pair mentions of a document that are on one side only, by shared nodes."""
    rows = tuple(
        _rows_in_order(side, own.tolist())
        for side, own in zip(sides, part, strict=True)
    )
    holders = defaultdict(list)
    for j, row in enumerate(rows[1]):
        mention = sides[1].mentions[row]
        for node in (mention.head,) if rule == HEAD else mention.nodes:
            holders[node].append(j)
    weights = []
    for i, row in enumerate(rows[0]):
        ours = sides[0].mentions[row]
        nodes = set(ours.nodes)
        for j in holders.get(ours.head, ()):
            theirs = sides[1].mentions[rows[1][j]].nodes
            common = sum(node in nodes for node in theirs)
            if rule == HEAD or common == len(theirs):
                weights.append((i, j, common / len(nodes)))
    _pair(sides, (rows[0], rows[1]), weights, other)
