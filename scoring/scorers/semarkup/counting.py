"""What every token of a SEMarkup file gets, as columns (seed 000)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Floats, Integers, fixed_point
from scoring.formats import slices
from scoring.formats.codes import Coded, Flags, shared_codes
from scoring.formats.conllu import DEPREL, FEATS, FORM, HEAD, ID, LEMMA, ROWS, UPOS
from scoring.formats.strips import coded
from scoring.formats.taxonomy import NO_CLASS
from scoring.options import Options
from scoring.scorer import Details
from scoring.scorers.semarkup.grammar import (
    Features,
    alike_lemmas,
    categories,
    feats_scores,
)
from scoring.scorers.semarkup.markup import SEMCLASS, SEMSLOT, Gold, Markup, same

SHOWN_COLUMNS = (LEMMA, UPOS, FEATS, HEAD, DEPREL, SEMSLOT, SEMCLASS)
SHOWN_NAMES = ("lemma", "pos", "feats", "head", "deprel", "semslot", "semclass")
SCORES = ("lemma", "pos", "feats", "uas", "las", "semslot", "semclass")


class Scores(NamedTuple):
    """The seven scores of each token (n,); `weight` is what its lemma can earn."""

    weight: Floats
    lemma: Floats
    pos: Flags
    feats: Floats
    uas: Flags
    las: Flags
    semslot: Flags
    semclass: Floats


@dataclass(frozen=True)
class Part:
    """Some rows of both sides."""

    gold: Gold
    system: Markup
    rows: slice

    def same(self, column: int) -> Flags:
        return same(self.system, self.gold.markup, column, self.rows)

    def coded(self, column: int) -> Coded:
        """Distinct texts of the system in a column, and which of them each row has."""
        return coded(self.system.field(column, self.rows))


def scores(gold: Gold, system: Markup) -> Scores:
    """Compare token by token, some thousands at a time."""
    starts = range(0, len(system.table.lines), ROWS)
    parts = [_scores(gold, system, slice(start, start + ROWS)) for start in starts]
    if len(parts) == 1:
        return parts[0]
    return Scores._make(np.concatenate(column) for column in zip(*parts, strict=True))


def _scores(gold: Gold, system: Markup, rows: slice) -> Scores:
    part = Part(gold, system, rows)
    weight = gold.markup.table.coded(UPOS, rows).mapped(gold.rules.lemma_weight)
    heads = part.same(HEAD)
    return Scores(
        weight=weight,
        lemma=weight * lemma_scores(part),
        pos=part.same(UPOS),
        feats=features_scores(part),
        uas=heads,
        las=heads & part.same(DEPREL),
        semslot=part.same(SEMSLOT),
        semclass=class_scores(part),
    )


def lemma_scores(part: Part) -> Flags:
    alike = part.same(LEMMA)
    unlike = np.flatnonzero(~alike)
    rows = unlike + part.rows.start
    found, wanted = part.system.field(LEMMA, rows), part.gold.markup.field(LEMMA, rows)
    alike[unlike] = alike_lemmas(found.texts(), wanted.texts())
    return alike


def features_scores(part: Part) -> Floats:
    """Each distinct FEATS is taken apart once; most are met in the gold too."""
    gold, answers = part.gold, part.coded(FEATS)
    golds = gold.feats.codes[part.rows]
    alike, rows = _compared(answers, Coded(golds, gold.feats.values))
    values = alike.astype(np.float64)
    found, place = np.unique(answers.codes[rows], return_inverse=True)
    wanted, other = np.unique(golds[rows], return_inverse=True)
    known, weights = gold.categories, gold.rules.feats
    texts = [answers.values[code] for code in found.tolist()]
    parsed = [known.get(text) or categories(text) for text in texts]
    items: dict[tuple[str, str], int] = {}
    right = [known[gold.feats.values[code]] for code in wanted.tolist()]
    sides = [Features(side, items, weights) for side in (parsed, right)]
    values[rows] = feats_scores(sides[0], sides[1], (place, other))
    return values


def _compared(found: Coded, wanted: Coded) -> tuple[Flags, Integers]:
    """Which texts (n,) are the same, and the rows of the others."""
    left, right = shared_codes(found, wanted)
    alike = left == right
    return alike, np.flatnonzero(~alike)


def class_scores(part: Part) -> Floats:
    """0 where one of two different classes is "_" or not in the taxonomy."""
    taxonomy, answers = part.gold.rules.taxonomy, part.coded(SEMCLASS)
    golds = Coded(part.gold.classes.codes[part.rows], part.gold.classes.values)
    alike, rows = _compared(answers, golds)
    first = taxonomy.nodes(answers.values)[answers.codes[rows]]
    second = taxonomy.nodes(golds.values)[golds.codes[rows]]
    values = alike.astype(np.float64)
    known = (first != NO_CLASS) & (second != NO_CLASS)
    values[rows[known]] = taxonomy.closeness(first[known], second[known])
    return values


def count(gold: Gold, system: Markup, options: Options) -> Counts:
    """One row per sentence; `hard` is `tokens` on that track, else 0."""
    found, markup = scores(gold, system), gold.markup
    items = {
        **fixed_point("lemma", found.lemma),
        **fixed_point("lemma_best", found.weight),
        "pos": found.pos,
        **fixed_point("feats", found.feats),
        "uas": found.uas,
        "las": found.las,
        "semslot": found.semslot,
        **fixed_point("semclass", found.semclass),
    }
    sums = {
        "tokens": markup.sizes,
        "hard": markup.sizes * (options["track"] == "hard"),
        **{name: _per_sentence(item, markup) for name, item in items.items()},
    }
    table = np.stack(list(sums.values()), axis=1).astype(np.float64)
    groups = slices.groups(markup.table, markup.sizes)
    return Counts(markup.names, tuple(sums), table, groups)


def _per_sentence(items: npt.NDArray[np.generic], markup: Markup) -> Floats:
    """Sums of whole numbers (n,) for each sentence: its tokens stand in a row."""
    return np.add.reduceat(items, markup.first, dtype=np.float64)


def details(gold: Gold, system: Markup, _options: Options) -> Details:
    """One row per token: its seven scores, then both analyses."""
    found, wanted = scores(gold, system), gold.markup
    values = [getattr(found, name).astype(np.float64).tolist() for name in SCORES]
    sides = wanted, system
    analyses = [
        side.field(column).texts() for column in SHOWN_COLUMNS for side in sides
    ]
    titles = [f"{side}{name}" for name in SHOWN_NAMES for side in ("gold_", "system_")]
    sentences = (wanted.ids[i] for i in wanted.table.sentence_of.tolist())
    place = (wanted.field(column).texts() for column in (ID, FORM))
    columns = (sentences, *place, *values, *analyses)
    head = ("sentence", "id", "form", *SCORES, *titles)
    return Details(head, zip(*columns, strict=True))
