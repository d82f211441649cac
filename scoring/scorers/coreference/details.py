"""A verdict for every mention: found in its entity, found in another, missing, made up.

Entities of both sides are paired as CEAF-e pairs them; a mention that the system has in
an entity other than that pair's is in another entity.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.counts import Flags, Integers
from scoring.inspection import Inspection, ItemTable, Picture, Piece
from scoring.options import Options
from scoring.scorer import Cell, Details
from scoring.scorers.coreference.counts import Totals
from scoring.scorers.coreference.entities import ROOM, Discourse, Mention
from scoring.scorers.coreference.mention_pairs import NOBODY, match_mentions

VERDICTS = ("match", "other_entity", "missing", "spurious")
COLUMNS = (
    "document",
    "sentence",
    "line",
    "verdict",
    "gold_entity",
    "gold_text",
    "system_entity",
    "system_text",
)
SHOWN = COLUMNS[3:]
# How the text of a page is marked.
MARKS = {"other_entity": "tagclash"}


@dataclass(frozen=True)
class MentionVerdict:
    """A mention of the gold, of the system, or one of each that were paired."""

    document: int
    kind: str
    gold: Mention | None
    system: Mention | None

    @property
    def mention(self) -> Mention:
        mention = self.gold or self.system
        assert mention is not None
        return mention


@dataclass(frozen=True)
class Judged:
    """All mentions of both sides by documents, in the order of the text."""

    gold: Discourse
    system: Discourse
    options: Options

    @cached_property
    def verdicts(self) -> list[MentionVerdict]:
        return sorted(
            self._verdicts(),
            key=lambda verdict: (
                verdict.document,
                verdict.mention.nodes,
                verdict.mention.entity,
            ),
        )

    def _verdicts(self) -> Iterator[MentionVerdict]:
        matching = match_mentions(self.gold, self.system, self.options)
        ours, theirs = matching.gold, matching.system
        totals = Totals(matching, len(self.gold.documents))
        partner = {i: j for i, j, _weight in totals.paired_entities()}
        found_in = matching.partners(ours, theirs).tolist()
        places = {
            key: row
            for row, key in enumerate(
                zip(theirs.identity.tolist(), theirs.entity.tolist(), strict=True)
            )
        }
        other = matching.other[ours.identity].tolist()
        rows = zip(ours.entity.tolist(), found_in, other, strict=True)
        for mention, (entity, counterpart, stands_for) in zip(
            ours.mentions, rows, strict=True
        ):
            document = int(ours.document[entity])
            if counterpart == NOBODY:
                yield MentionVerdict(document, "missing", mention, None)
                continue
            kind = "match" if partner.get(entity) == counterpart else "other_entity"
            theirs_one = theirs.mentions[places[stands_for, counterpart]]
            yield MentionVerdict(document, kind, mention, theirs_one)
        for row in np.flatnonzero(matching.partners(theirs, ours) == NOBODY).tolist():
            document = int(theirs.document[theirs.entity[row]])
            yield MentionVerdict(document, "spurious", None, theirs.mentions[row])

    def text(self, mention: Mention | None) -> str:
        """The words of a mention; a node that is not in the text is shown as ∅."""
        if mention is None:
            return ""
        side = self.gold
        words = side.words
        return " ".join(
            "∅" if node % ROOM else words[side.word(node, mention.sentence)]
            for node in mention.nodes
        )

    def row(self, verdict: MentionVerdict) -> tuple[Cell, ...]:
        gold, system = verdict.gold, verdict.system
        return (
            self.gold.documents[verdict.document],
            self.gold.sentence_names[verdict.mention.sentence],
            verdict.mention.line,
            verdict.kind,
            gold.entity if gold else "",
            self.text(gold),
            system.entity if system else "",
            self.text(system),
        )

    @cached_property
    def bounds(self) -> list[int]:
        """The first sentence of each document and, one more, the number of them."""
        numbers = np.arange(len(self.gold.documents) + 1)
        places: list[int] = np.searchsorted(self.gold.document_of, numbers).tolist()
        return places

    def picture(self, unit: int) -> Picture:
        """The text of a document with the mentions of both sides."""
        start, end = self.bounds[unit], self.bounds[unit + 1]
        first = self.gold.first.tolist()
        words = self.gold.words[first[start] : first[end]]
        breaks = {last - first[start] for last in first[start + 1 : end]}
        begins = []
        pieces: list[str] = []
        offset = 0
        for place, word in enumerate(words):
            if place:
                pieces.append("\n" if place in breaks else " ")
                offset += 1
            begins.append(offset)
            pieces.append(word)
            offset += len(word)
        text = "".join(pieces)
        verdicts = [verdict for verdict in self.verdicts if verdict.document == unit]
        places = _Places(self.gold, first[start], begins, words)
        sides = tuple(
            tuple(_pieces(verdicts, side, places)) for side in ("gold", "system")
        )
        rows = (self.row(verdict)[3:] for verdict in verdicts)
        sheet = ItemTable.by_verdict(SHOWN, rows)
        return Picture(sheet, text=text, pieces=(sides[0], sides[1]))


@dataclass(frozen=True)
class _Places:
    """Places of the words of a document in its text, from word `first` on."""

    gold: Discourse
    first: int
    begins: list[int]
    words: list[str]

    def of(self, mention: Mention) -> Iterator[tuple[int, int]]:
        """Runs of the words of a mention; none where it has no words in the text."""
        words = [
            self.gold.word(node, mention.sentence) - self.first
            for node in mention.nodes
            if node % ROOM == 0
        ]
        start = 0
        for i in range(1, len(words) + 1):
            if i == len(words) or words[i] != words[i - 1] + 1:
                last = words[i - 1]
                yield (
                    self.begins[words[start]],
                    self.begins[last] + len(self.words[last]),
                )
                start = i


def _pieces(shown: list[MentionVerdict], side: str, places: _Places) -> Iterator[Piece]:
    for verdict in shown:
        mention: Mention | None = getattr(verdict, side)
        if mention is not None:
            for start, end in places.of(mention):
                mark = MARKS.get(verdict.kind, verdict.kind)
                yield Piece(start, end, mention.entity, mark)


def details(gold: Discourse, system: Discourse, options: Options) -> Details:
    """One row per mention of the gold, with its partner, and per mention made up."""
    judged = Judged(gold, system, options)
    return Details(COLUMNS, (judged.row(verdict) for verdict in judged.verdicts))


def inspect(gold: Discourse, system: Discourse, options: Options) -> Inspection:
    """Items are mentions; a document is as long as its words are many."""
    judged = Judged(gold, system, options)
    verdicts = judged.verdicts
    unit_of: Integers = np.array(
        [verdict.document for verdict in verdicts], dtype=np.int64
    )
    kinds = np.array(
        [VERDICTS.index(verdict.kind) for verdict in verdicts], dtype=np.int64
    )
    wrong: dict[str, Flags] = {
        name: kinds == place for place, name in enumerate(VERDICTS) if place
    }
    sizes = np.bincount(gold.document_of, gold.sizes, minlength=len(gold.documents))
    return Inspection(sizes.astype(np.int64), unit_of, wrong, judged.picture)
