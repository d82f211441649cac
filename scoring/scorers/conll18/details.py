"""Per-word table behind the scores."""

import numpy as np

from scoring.counts import Integers
from scoring.inspection import Inspection
from scoring.options import Options
from scoring.scorer import DetailRows, Details
from scoring.scorers.conll18.counts import Matches, match
from scoring.scorers.conll18.surface import Surface
from scoring.scorers.treebanks.conllu import FORM
from scoring.scorers.treebanks.inspection import TreeComparison

SHOWN = ("upos", "xpos", "ufeats", "lemmas", "uas", "las")
WRONG = ("head", "label", "upos", "xpos", "ufeats", "lemma")
FIELDS = {"label": "relation"}
Rows = tuple[Integers, Integers]
COLUMNS = ("sentence", "word", "form", "system_line", "system_form", *SHOWN)


def details(gold: Surface, system: Surface, _options: Options) -> Details:
    """One row per gold word and per word that only the system has, in text order. A
    word without a partner has empty cells on the other side and counts nowhere."""
    matches = match(gold, system)
    order = _in_text_order(gold, system, matches)
    return Details(COLUMNS, _rows((gold, system), matches, order))


def inspect(gold: Surface, system: Surface, _options: Options) -> Inspection:
    """An item per such word with its errors; one without a partner has one."""
    matches = match(gold, system)
    left, right = _in_text_order(gold, system, matches)
    paired = (left >= 0) & (right >= 0)
    pair = np.zeros(len(gold.token_of), dtype=np.int64)
    pair[matches.gold] = np.arange(len(matches.gold))
    wrong = {"word": ~paired}
    for kind in WRONG:
        right_pairs = getattr(matches, FIELDS.get(kind, kind))
        wrong[kind] = paired.copy()
        wrong[kind][paired] = ~right_pairs[pair[left[paired]]]
    homes = gold.sentence_at(system.begins[system.token_of])
    unit_of = np.where(left >= 0, gold.trees.sentence_of[left], homes[right])
    sides = gold.trees, system.trees
    return TreeComparison(sides, (left, right), unit_of, wrong).inspection(tags=True)


def _in_text_order(gold: Surface, system: Surface, matches: Matches) -> Rows:
    """Rows of both sides for every word of either, -1 for nobody."""
    ours = _words_without_pair(len(gold.token_of), matches.gold)
    theirs = _words_without_pair(len(system.token_of), matches.system)
    nobody = np.full(len(ours), -1), np.full(len(theirs), -1)
    left = np.concatenate((matches.gold, ours, nobody[1]))
    right = np.concatenate((matches.system, nobody[0], theirs))
    begins = np.where(
        left >= 0,
        gold.begins[gold.token_of[left]],
        system.begins[system.token_of[right]],
    )
    order = np.argsort(begins, kind="stable")
    return left[order], right[order]


def _words_without_pair(words: int, paired: Integers) -> Integers:
    alone = np.ones(words, dtype=np.bool_)
    alone[paired] = False
    return np.flatnonzero(alone)


def _rows(
    sides: tuple[Surface, Surface], matches: Matches, rows: tuple[Integers, Integers]
) -> DetailRows:
    gold, system = sides
    right = matches.by_measure()
    agreed = np.stack([right[name] for name in SHOWN], axis=1).astype(int).tolist()
    result = dict(zip(matches.gold.tolist(), agreed, strict=True))
    names, places = gold.trees.names, gold.trees.places.tolist()
    sentence_of = gold.trees.sentence_of.tolist()
    forms = [side.trees.field(FORM).texts() for side in sides]
    lines = system.trees.lines.tolist()
    home_of = gold.sentence_at(system.begins[system.token_of]).tolist()
    for g, s in zip(rows[0].tolist(), rows[1].tolist(), strict=True):
        sentence = names[sentence_of[g] if g >= 0 else home_of[s]]
        ours = (places[g], forms[0][g]) if g >= 0 else (None, "")
        theirs = (lines[s], forms[1][s]) if s >= 0 else (None, "")
        both = result[g] if g >= 0 and s >= 0 else [0] * len(SHOWN)
        yield (sentence, *ours, *theirs, *both)
