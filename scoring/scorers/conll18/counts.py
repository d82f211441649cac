"""Agreement of paired words, and its counts per sentence."""

from dataclasses import dataclass

import numpy as np

from scoring.counts import Counts, Flags, Integers
from scoring.formats.codes import Coded, shared_codes
from scoring.options import Options
from scoring.scorers.conll18 import enhanced
from scoring.scorers.conll18.alignment import align, cut
from scoring.scorers.conll18.surface import Surface
from scoring.scorers.treebanks.conllu import FEATS, LEMMA, UPOS, XPOS
from scoring.scorers.treebanks.conllu import groupings as groups
from scoring.scorers.treebanks.relations import coarse
from scoring.scorers.treebanks.trees import NOWHERE, alike

CONTENT_RELATIONS = (
    "acl advcl advmod amod appos ccomp compound conj csubj dep discourse dislocated "
    "expl fixed flat goeswith iobj list nmod nsubj nummod obj obl orphan parataxis "
    "reparandum root vocative xcomp"
)
FUNCTION_RELATIONS = "aux case cc clf cop det mark"
UNIVERSAL_FEATURES = (
    "Abbr Animacy Aspect Case Definite Degree Evident Foreign Gender Mood NumType "
    "Number Person Polarity Polite Poss PronType Reflex Tense VerbForm Voice"
)
CONTENT = frozenset(CONTENT_RELATIONS.split())
FUNCTION = frozenset(FUNCTION_RELATIONS.split())
UNIVERSAL = frozenset(UNIVERSAL_FEATURES.split())
UNPAIRED = -2


def universal(feats: str) -> str:
    """The universal features of FEATS, sorted; a repeated one stays repeated."""
    universal = (f for f in feats.split("|") if f.partition("=")[0] in UNIVERSAL)
    return "|".join(sorted(universal))


@dataclass(frozen=True)
class Matches:
    """Paired words (p,): their rows in gold and system, and what agrees in each pair.

    `tokens` are the gold tokens that the system has too. `content` tells of the gold
    relation. `head` compares parents through the pairing.
    """

    tokens: Integers
    gold: Integers
    system: Integers
    content: Flags
    upos: Flags
    xpos: Flags
    ufeats: Flags
    lemma: Flags
    head: Flags
    relation: Flags
    children: Flags

    def by_measure(self) -> dict[str, Flags]:
        """Flags (p,) of correct pairs for each measure of words."""
        las = self.head & self.relation
        clas = las & self.content
        return {
            "upos": self.upos,
            "xpos": self.xpos,
            "ufeats": self.ufeats,
            "alltags": self.upos & self.xpos & self.ufeats,
            "lemmas": self.lemma,
            "uas": self.head,
            "las": las,
            "clas": clas,
            "mlas": clas & self.upos & self.ufeats & self.children,
            "blex": clas & self.lemma,
        }


def match(gold: Surface, system: Surface) -> Matches:
    """Pair the words and compare each pair."""
    stretches = cut(gold, system)
    rows = align(gold, system, stretches)
    relations = gold.trees.relations, system.trees.relations
    codes = shared_codes(*relations, coarse)
    upos, ufeats = _same(gold, system, rows, UPOS), _same_feats(gold, system, rows)
    relation = codes[0][rows[0]] == codes[1][rows[1]]
    head = _same_heads(gold, system, rows)
    alike = head & relation & upos & ufeats
    return Matches(
        tokens=stretches.tokens[stretches.single],
        gold=rows[0],
        system=rows[1],
        content=content(relations[0])[rows[0]],
        upos=upos,
        xpos=_same(gold, system, rows, XPOS),
        ufeats=ufeats,
        lemma=_same_lemmas(gold, system, rows),
        head=head,
        relation=relation,
        children=_same_children(gold, system, rows, alike),
    )


Rows = tuple[Integers, Integers]


def content(relations: Coded) -> Flags:
    return relations.flags(lambda relation: coarse(relation) in CONTENT)


def _same(gold: Surface, system: Surface, rows: Rows, column: int) -> Flags:
    return alike(gold.trees, system.trees, column, rows)


def _same_lemmas(gold: Surface, system: Surface, rows: Rows) -> Flags:
    """A gold lemma `_` asks for nothing."""
    lemmas = gold.trees.field(LEMMA, rows[0])
    empty = (lemmas.sizes == 1) & (gold.trees.table.buffer[lemmas.begins] == ord("_"))
    same: Flags = empty | _same(gold, system, rows, LEMMA)
    return same


def _same_feats(gold: Surface, system: Surface, rows: Rows) -> Flags:
    same = _same(gold, system, rows, FEATS)
    unlike = np.flatnonzero(~same)
    written = gold.trees.field(FEATS, rows[0][unlike]).coded()
    other = system.trees.field(FEATS, rows[1][unlike]).coded()
    left, right = shared_codes(written, other, universal)
    same[unlike] = left == right
    return same


def _same_heads(gold: Surface, system: Surface, rows: Rows) -> Flags:
    paired = np.full(len(system.token_of) + 1, UNPAIRED)
    paired[rows[1]] = rows[0]
    # A root has no parent on either side: the extra place stands for it.
    paired[NOWHERE] = NOWHERE
    same: Flags = gold.trees.parents[rows[0]] == paired[system.trees.parents[rows[1]]]
    return same


def _same_children(gold: Surface, system: Surface, rows: Rows, alike: Flags) -> Flags:
    """Flags (p,) of pairs that have the same function words, analysed alike.

    Words are paired in order, so it is enough to count: all function words below the
    gold word, all below the system word, and the pairs of the two that are alike.
    """
    functions = [
        side.trees.relations.flags(lambda relation: coarse(relation) in FUNCTION)
        for side in (gold, system)
    ]
    below = [
        _per_parent(side.trees.parents[function], len(side.token_of))
        for side, function in zip((gold, system), functions, strict=True)
    ]
    shared = alike & functions[0][rows[0]]
    both = _per_parent(gold.trees.parents[rows[0][shared]], len(gold.token_of))
    paired = both[rows[0]]
    same: Flags = (below[0][rows[0]] == paired) & (below[1][rows[1]] == paired)
    return same


def _per_parent(parents: Integers, words: int) -> Integers:
    """Number of children of each word; roots are nobody's."""
    return np.bincount(parents[parents != NOWHERE], minlength=words)


def count(gold: Surface, system: Surface, options: Options) -> Counts:
    """One row per gold sentence; what the system adds counts where it begins. So the
    rows add up to the counts of the whole file, however it cuts sentences."""
    matches = match(gold, system)
    homes = gold.sentence_at(system.begins)
    word_homes, gold_words = homes[system.token_of], gold.trees.sentence_of
    pair_homes = gold_words[matches.gold]
    sentences = np.arange(len(gold.trees.sizes))
    homes_of: dict[str, Integers] = {
        "tokens_gold": gold.sentence_of,
        "tokens_system": homes,
        "tokens": gold.sentence_of[matches.tokens],
        "sentences_gold": sentences,
        "sentences_system": homes[system.first_tokens],
        "sentences": sentences[same_sentences(gold, system)],
        "words_gold": gold_words,
        "words_system": word_homes,
        "words": pair_homes,
        "content_gold": gold_words[content(gold.trees.relations)],
        "content_system": word_homes[content(system.trees.relations)],
        "content": pair_homes[matches.content],
    }
    for name, flags in matches.by_measure().items():
        homes_of[name] = pair_homes[flags]
    table = np.empty((len(sentences), len(homes_of)))
    for column, unit in enumerate(homes_of.values()):
        table[:, column] = np.bincount(unit, minlength=len(sentences))
    names, slices = tuple(homes_of), groups(gold.trees.table, gold.trees.sizes)
    if options["enhanced"]:
        pairs = matches.gold, matches.system
        added = enhanced.counts(gold, system, pairs, word_homes)
        table = np.column_stack((table, *added.values()))
        names = (*names, *added)
    return Counts(gold.trees.names, names, table, slices)


def same_sentences(gold: Surface, system: Surface) -> Flags:
    """Flags of gold sentences that the system has too, by the characters they cover."""
    begins, ends = system.sentence_begins, system.sentence_ends
    place = np.searchsorted(begins, gold.sentence_begins).clip(max=len(begins) - 1)
    same: Flags = begins[place] == gold.sentence_begins
    same &= ends[place] == gold.sentence_ends
    return same
